// A portable folder has the program's libraries and fonts beside it, and none of the system's
// settings for them.
//
// Errors   none.
// Threads  call it before any other thread is started.
#pragma once

namespace headscope {

// If the program is in such a folder, its libraries find the fonts there, and look for no modules
// of the system's, which are made for other versions. What the user has set stays.
void UsePortableFolder();

}  // namespace headscope
