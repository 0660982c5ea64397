"""Writes a web page: complete, with its styles, without scripts or foreign resources but the fetched images' URLs."""

from __future__ import annotations

from dataclasses import asdict
from html import escape
from typing import TYPE_CHECKING, Final

from newsletters.exports.document import Document, Rendered
from newsletters.exports.writers.html_body import BodyWriter, sanitised
from newsletters.exports.writers.palette import DARK, LIGHT, Palette

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from newsletters.exports.blocks import Block
    from newsletters.exports.images import Image

MOST_WIDTH: Final = 680  # of the text, in pixels

_ATTRIBUTES: Final = {
    "marker": ' class="marker"',
    "date": ' class="date"',
    "number": ' class="date"',
    "scroll": ' class="scroll" tabindex="0"',
    **{
        f"{cell}-{side}": f' class="{side}"'
        for cell in ("th", "td")
        for side in ("left", "center", "right")
    },
}
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; img-src https:; base-uri 'none'; form-action 'none'"
_STYLE: Final = """
*{box-sizing:border-box}
html{color-scheme:light dark;-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0;background:var(--page);color:var(--text);overflow-wrap:break-word;
font:1.0625rem/1.65 system-ui,-apple-system,"Segoe UI","Noto Sans","Helvetica Neue",Arial,sans-serif}
main{max-width:780px;margin:2.5rem auto;padding:3rem 50px;background:var(--surface);border-radius:10px}
h1,h2,h3,h4,h5,h6{line-height:1.25;margin:2em 0 .6em;text-wrap:balance}
h1{font-size:2.125rem;margin:0 0 1rem;padding-bottom:1rem;border-bottom:3px solid var(--link)}
h2{font-size:1.5rem}h3{font-size:1.2rem}h4,h5,h6{font-size:1.0625rem}
p,ul,ol,blockquote,pre,.scroll,figure{margin:0 0 1.15em}
ul,ol{padding-inline-start:1.7em}li{margin:.35em 0}li>ul,li>ol{margin:.35em 0}
a{color:var(--link);text-underline-offset:.15em}
a:focus-visible,.scroll:focus-visible{outline:3px solid var(--link);outline-offset:2px}
.marker{font-size:.85em}.marker,.date{white-space:nowrap}.marker a{text-decoration:none}
.marker a:hover{text-decoration:underline}
blockquote{border-inline-start:4px solid var(--link);padding:.1em 1.2em;color:var(--muted)}
blockquote>:last-child,li>ul:last-child{margin-bottom:0}
code{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:.9em;background:var(--shade);padding:.1em .3em;
border-radius:3px}
pre{background:var(--shade);padding:1em;border-radius:6px;overflow-x:auto}pre code{padding:0;background:none}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.95em;font-variant-numeric:tabular-nums}
th,td{padding:.55em .8em;border-bottom:1px solid var(--line);text-align:start;vertical-align:top}
th{background:var(--shade);border-bottom:2px solid var(--line)}
.left{text-align:left}.center{text-align:center}.right{text-align:right}
img{max-width:100%;height:auto;border-radius:6px}
figure{text-align:center}
hr{border:0;border-top:1px solid var(--line);margin:2em 0}
@media (max-width:640px){main{margin:0;padding:1.5rem 1.1rem;border-radius:0}h1{font-size:1.7rem}h2{font-size:1.35rem}}
@media print{body{background:none;font-size:11pt}main{margin:0;padding:0;max-width:none}
h1,h2,h3,h4,h5,h6{break-after:avoid}tr,img,blockquote{break-inside:avoid}thead{display:table-header-group}
p,li{orphans:3;widows:3}}
"""


def write(document: Document, blocks: Sequence[Block], images: Mapping[str, Image]) -> Rendered:
    """Render a whole page in UTF-8."""
    writer = BodyWriter(images, _ATTRIBUTES, anchored=True, most_width=MOST_WIDTH)
    body = sanitised(writer.blocks(blocks))
    # Print always has the light colours.
    style = (
        f":root{{{_variables(LIGHT)}}}"
        f"@media screen and (prefers-color-scheme:dark){{:root{{{_variables(DARK)}}}}}{_STYLE}"
    )
    author = (
        f'<meta name="author" content="{escape(document.author)}">\n' if document.author else ""
    )
    page = f"""<!doctype html>
<html lang="{document.lang}" dir="{document.direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<meta name="date" content="{escape(document.updated_at)}">
{author}<title>{escape(document.title)}</title>
<style>{style}</style>
</head>
<body>
<main>
{body}
</main>
</body>
</html>
"""
    return Rendered(page.encode(errors="replace"), ())


def _variables(palette: Palette) -> str:
    return "".join(f"--{name}:{value};" for name, value in asdict(palette).items())
