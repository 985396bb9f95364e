// Limits how long OpenMP's threads spin while they wait for each other.
//
// By default libgomp's threads spin for about 3 ms, hoping that the others are soon done. If other
// programs need the same processors (a software renderer, a build), that time is lost: on two cores
// a letter typed after 128 tokens of GPT-2 small appeared with its maps after 220 ms, and after 115
// ms with this; during a build the maps of 128 tokens took 810 ms, and 450 ms with this. On an
// otherwise idle machine both are equally fast.
//
// libgomp reads its environment before main, so the program starts itself again, which takes 10 ms.
// If the user has set GOMP_SPINCOUNT or OMP_WAIT_POLICY, nothing is changed.
//
// Threads  call it before any other thread is started.
// Source   GNU Offloading and Multi Processing Runtime Library manual, GOMP_SPINCOUNT.
#pragma once

namespace headscope {

// Returns if there is nothing to do, or if it cannot be done.
void RestartWithShortWaits(char** arguments);

}  // namespace headscope
