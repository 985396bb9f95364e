"""check_tree.py finds the faults it is there to find, and none in what is right."""
import unittest

from check_tree import check_file

HEADER = "// What it is.\n#pragma once\n"


class CheckFile(unittest.TestCase):
    def faults(self, path, text):
        return check_file(path, text)

    def test_a_folder_to_the_left_may_be_included(self):
        self.assertEqual(self.faults("core/model/a.cpp", '#include "core/io/json.h"\n'), [])

    def test_a_folder_to_the_right_may_not(self):
        self.assertEqual(len(self.faults("core/io/a.cpp", '#include "core/model/model.h"\n')), 1)

    def test_neighbours_may_not_include_each_other(self):
        self.assertEqual(len(self.faults("core/heads/a.cpp", '#include "core/headcount/split.h"\n')), 1)

    def test_core_may_not_include_the_application(self):
        self.assertEqual(len(self.faults("core/session/a.cpp", '#include "app/state/app_state.h"\n')), 1)

    def test_only_the_backend_names_onednn(self):
        self.assertEqual(len(self.faults("core/model/a.cpp", "#include <dnnl.hpp>\n")), 1)
        self.assertEqual(self.faults("core/compute/onednn_backend.cpp", "#include <dnnl.hpp>\n"), [])

    def test_views_include_no_gl(self):
        self.assertEqual(len(self.faults("app/views/a.cpp", "#include <epoxy/gl.h>\n")), 1)

    def test_core_prints_nothing(self):
        self.assertEqual(len(self.faults("core/io/a.cpp", 'std::printf("x");\n')), 1)
        self.assertEqual(self.faults("core/io/a.cpp", 'Fail("printf(");  // exit(1)\n'), [])

    def test_a_long_file_is_a_fault(self):
        self.assertEqual(len(self.faults("core/io/a.cpp", "\n" * 501)), 1)

    def test_headers_say_what_they_are(self):
        self.assertEqual(self.faults("core/io/a.h", HEADER), [])
        self.assertEqual(len(self.faults("core/io/a.h", "#pragma once\n")), 1)
        self.assertEqual(len(self.faults("core/io/a.h", "// What.\n")), 1)


if __name__ == "__main__":
    unittest.main()
