"""Runs tutorial.py cell by cell and writes it, with what it prints and draws, as docs/tutorial-python.md.

    python render_tutorial.py [FOLDER]
"""

import contextlib
import io
import re
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

HERE = Path(__file__).parent
IMAGES = "images/tutorial-python"


def cells(text):
    """(is it text, content) of each cell of the percent format."""
    for part in re.split(r"^# %%", text, flags=re.MULTILINE)[1:]:
        head, _, content = part.partition("\n")
        is_text = "[markdown]" in head
        content = content.strip("\n")
        yield is_text, re.sub(r"^# ?", "", content, flags=re.MULTILINE) if is_text else content


def render(folder):
    """Writes the page and its pictures; returns the page."""
    (folder / IMAGES).mkdir(parents=True, exist_ok=True)
    page, names, pictures = [], {}, 0
    plt.close("all")
    for is_text, content in cells((HERE / "tutorial.py").read_text(encoding="utf-8")):
        if is_text:
            page.append(content)
            continue
        page.append(f"```python\n{content}\n```")
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(content, "tutorial.py", "exec"), names)
        if printed.getvalue():
            page.append(f"```\n{printed.getvalue().rstrip()}\n```")
        for number in plt.get_fignums():
            pictures += 1
            name = f"{IMAGES}/{pictures}.png"
            plt.figure(number).savefig(folder / name, dpi=80)
            page.append(f"![]({name})")
        plt.close("all")
    text = "\n\n".join(page) + "\n"
    (folder / "tutorial-python.md").write_text(text, encoding="utf-8")
    return text


if __name__ == "__main__":
    # `plt.show()` has nothing to show on here.
    import warnings

    warnings.filterwarnings("ignore", message="FigureCanvasAgg is non-interactive")
    render(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parents[1] / "docs")
