"""The files of the page: its scripts and style sheets come as one each."""

import pytest

from pond_hw.web.page_files import PAGE_FOLDER, STYLE_SHEETS, PageFile, join_modules, list_page_files
from tests.conftest import each


def test_scripts_stand_behind_what_they_need_and_share_nothing_else():
    joined = join_modules(
        {
            "page.js": 'import { b } from "./b.js";\nimport { a, A } from "./a.js";\nconst own = a() + b + A;\n',
            "b.js": 'import { a } from "./a.js";\nconst own = 1;\nexport const b = a() + own;\n',
            "a.js": "const own = 2;\nexport function a() {\n  return own;\n}\nexport class A {}\n",
            "unused.js": "export const c = 3;\n",
        },
        "page.js",
    )
    places = [joined.index(f"modules['{name}'] = ") for name in ("a.js", "b.js", "page.js")]
    assert places == sorted(places)
    assert "unused.js" not in joined
    assert "return { a, A };" in joined
    assert not [line for line in joined.splitlines() if line.startswith(("import", "export"))]


@each(
    "text, complaint",
    [
        ('import x from "./x.js";\n', "import x"),
        ('import {\n  x,\n} from "./x.js";\n', "import {"),
        ("export default 1;\n", "export default"),
        ("const a = 1;\nexport { a };\n", "export { a }"),
        ('import { y } from "./page.js";\nexport const x = y;\n', "circle"),
    ],
)
def test_a_script_in_another_style_is_named(text, complaint):
    with pytest.raises(ValueError, match=complaint):
        join_modules({"page.js": 'import { x } from "./x.js";\n', "x.js": text}, "page.js")


def test_every_style_sheet_and_script_of_the_page_is_there():
    files = list_page_files()
    assert set(STYLE_SHEETS) == {path.name for path in PAGE_FOLDER.glob("*.css")}
    script = files[b"/page/page.js"].content.decode()
    for path in PAGE_FOLDER.glob("*.js"):
        assert f"modules['{path.name}']" in script, f"nothing needs {path.name}"
    for path in (b"/page/page.js", b"/page/page.css"):
        assert path in files[b"/"].content


def test_the_tag_changes_with_the_content():
    one, other = (PageFile.from_content(content, "text/plain") for content in (b"one", b"other"))
    assert one.tag != other.tag
    assert one.choose_answer({"if-none-match": one.tag})[0] == 304
    assert one.choose_answer({"if-none-match": other.tag})[0] == 200
