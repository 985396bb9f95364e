// How long OpenMP's threads spin while they wait for each other.
//
// By default libgomp's threads spin for some 3 ms, in the hope that the others are soon done. Where
// anybody else wants the same processors (a software renderer, a build) that is time lost: on two
// cores a letter typed after 128 tokens of GPT-2 small was seen with its maps after 220 ms, and
// after 115 ms with this; beside a build the maps of 128 tokens took 810 ms, and 450 ms with this.
// On a machine with nothing else to do both are as fast.
//
// libgomp reads its environment before main, so the program starts itself once more, which takes
// 10 ms. Whoever has set GOMP_SPINCOUNT or OMP_WAIT_POLICY has chosen, and nothing is changed.
//
// Threads  before any other is started.
// Source   GNU Offloading and Multi Processing Runtime Library manual, GOMP_SPINCOUNT.
#pragma once

namespace headscope {

// Returns where there is nothing to do, or where it cannot be done.
void RestartWithShortWaits(char** arguments);

}  // namespace headscope
