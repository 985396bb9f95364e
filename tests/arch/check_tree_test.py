"""check_tree.py finds the faults it is there to find, and none in what is right."""
import pathlib
import tempfile
import unittest

from check_tree import Documents, check_file, check_tree

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

    def test_a_room_includes_those_before_it(self):
        self.assertEqual(self.faults("core/heads/scan/a.cpp", '#include "core/heads/probe/probe.h"\n'), [])
        self.assertEqual(len(self.faults("core/heads/probe/a.cpp", '#include "core/heads/scan/scan.h"\n')), 1)
        self.assertEqual(len(self.faults("core/heads/attic/a.cpp", '#include "core/heads/scan/scan.h"\n')), 1)

    def test_core_may_not_include_the_application(self):
        self.assertEqual(len(self.faults("core/worker/a.cpp", '#include "app/state/app_state.h"\n')), 1)

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
        self.assertEqual(self.faults("core/model/families/a.cpp", "\n" * 150), [])
        self.assertEqual(len(self.faults("core/model/families/a.cpp", "\n" * 151)), 1)

    def test_headers_say_what_they_are(self):
        self.assertEqual(self.faults("core/io/a.h", HEADER), [])
        self.assertEqual(len(self.faults("core/io/a.h", "#pragma once\n")), 1)
        self.assertEqual(len(self.faults("core/io/a.h", "// What.\n")), 1)

    def test_labels_have_a_column_of_their_own(self):
        good = "// What.\n//\n// Errors   kIo: missing,\n//          a folder.\n// Cost     none.\n//\n// More.\n#pragma once\n"
        self.assertEqual(self.faults("core/io/a.h", good), [])
        for bad in ("// Errors   kIo: missing,\n// a folder.\n", "// Errors   kIo. Threads  any.\n// Cost  none.\n",
                    "// Errors   kIo.\n//     a folder.\n", "// Errors  kIo.\n"):
            with self.subTest(bad):
                self.assertEqual(len(self.faults("core/io/a.h", "// What.\n//\n" + bad + "#pragma once\n")), 1)


class CheckDocuments(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write("docs/reference.md", "# Reference\n\n## split\n\n## Exit status and errors\n\n```\n# no heading\n```\n")
        self.documents = Documents(self.root)

    def write(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")

    def faults(self, text):
        return self.documents.check_source("core/io/a.h", text)

    def test_a_document_that_is_there_may_be_named(self):
        self.assertEqual(self.faults("// Source   docs/reference.md.\n"), [])
        self.assertEqual(self.faults('// Source   Lin 1991; docs/reference.md, "split".\n'), [])
        self.assertEqual(self.faults('int a;  // docs/reference.md, "split" and "Exit status and errors"\n'), [])

    def test_a_document_that_is_missing_is_a_fault(self):
        for named in ("docs/other.md", "REFERENCE.md", "reference.md", "../docs/other.md"):
            with self.subTest(named):
                found = self.faults(f"// What.\n// Source   {named}.\n")
                self.assertEqual(len(found), 1)
                self.assertIn(named, found[0])

    def test_a_section_that_is_missing_is_a_fault(self):
        self.assertEqual(len(self.faults('// docs/reference.md, "splits"\n')), 1)
        self.assertEqual(len(self.faults('// docs/reference.md, "split" and "merge"\n')), 1)
        self.assertEqual(len(self.faults('// docs/reference.md, "no heading"\n')), 1)

    def test_a_section_may_go_on_in_the_next_line(self):
        self.assertEqual(self.faults('// Source   docs/reference.md, "Exit status\n//          and errors".\n'), [])
        self.assertEqual(len(self.faults('// Source   docs/reference.md, "Exit status\n//          and so on".\n')), 1)

    def test_strings_name_files_and_no_documents(self):
        self.assertEqual(self.faults('Drop("c.md");\nOpen("https://x/c.md", 1\'000, \'"\');\n'), [])
        self.assertEqual(len(self.faults('Drop("c.md");  // c.md\n')), 1)

    def test_links_lead_to_files_and_sections(self):
        def faults(text):
            return self.documents.check_links("docs/a.md", text)
        self.write("docs/a.md", "# A\n")
        self.assertEqual(faults("[r](reference.md) [s](reference.md#exit-status-and-errors) [a](#a) [w](https://x/y.md)"), [])
        self.assertEqual(len(faults("[r](other.md) [s](reference.md#merge) [a](#b)")), 3)

    def test_the_whole_tree_is_looked_at(self):
        self.write("core/io/a.h", HEADER + "// docs/other.md\n")
        self.write("README.md", "[r](docs/reference.md) [o](docs/other.md)\n")
        self.assertEqual(len(check_tree(self.root)), 2)


if __name__ == "__main__":
    unittest.main()
