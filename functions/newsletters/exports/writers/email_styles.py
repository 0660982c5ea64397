"""Styles of e-mails: inline ones per element, and the sheet for dark colours and small screens."""

from __future__ import annotations

from typing import Final

from newsletters.exports.writers.palette import DARK, LIGHT

WIDTH: Final = 600  # of the content, in pixels
PADDING: Final = 32
SMALLEST: Final = 14  # font size in pixels

FONTS: Final = "-apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Helvetica Neue', Arial, sans-serif"
MONOSPACE: Final = "Menlo,Consolas,'Courier New',monospace"
# Outlook for Windows lays out with Word: it takes another font for a family list that begins with an unknown name,
# makes a line as high as its largest sign, and adds spaces around tables.
OUTLOOK: Final = """<!--[if mso]><style>
body, table, td, p, h1, h2, h3, h4, h5, h6, li, a { font-family: 'Segoe UI', Arial, sans-serif !important; }
code, pre { font-family: Consolas, 'Courier New', monospace !important; }
table { border-collapse: collapse; mso-table-lspace: 0; mso-table-rspace: 0; }
p, li, td { mso-line-height-rule: exactly; }
</style><![endif]-->"""
_HEADINGS: Final = {"h1": 30, "h2": 23, "h3": 19, "h4": 17, "h5": 16, "h6": 16}

# Dark colours, by class.
_DARK: Final = {
    "page": f"background-color:{DARK.page}",
    "surface": f"background:{DARK.surface};background-color:{DARK.surface}",
    "body": f"color:{DARK.text}",
    "footer": f"color:{DARK.muted}",
    "h": f"color:{DARK.text}",
    "a": f"color:{DARK.link}",
    "blockquote": f"color:{DARK.muted};border-color:{DARK.link}",
    "code": f"background-color:{DARK.shade}",
    "pre": f"background-color:{DARK.shade}",
    "hr": f"border-color:{DARK.line}",
    "td": f"border-color:{DARK.line}",
    "th": f"border-color:{DARK.line};background-color:{DARK.shade}",
}


def attributes(direction: str) -> dict[str, str]:
    """Return class and style of each element, by the names that BodyWriter uses."""
    start, end = ("right", "left") if direction == "rtl" else ("left", "right")
    cell = f"padding:8px 10px;border-bottom:1px solid {LIGHT.line};vertical-align:top;word-break:normal;"
    head = f"{cell}background-color:{LIGHT.shade};border-bottom-width:2px;font-weight:bold;hyphens:auto;"
    styles = {
        **{
            name: f"margin:{30 if name != 'h1' else 0}px 0 12px;font-size:{size}px;line-height:1.3;font-weight:bold;"
            f"color:{LIGHT.text};"
            for name, size in _HEADINGS.items()
        },
        "p": "margin:0 0 16px;",
        "ul": f"margin:0 0 16px;padding-{start}:26px;padding-{end}:0;",
        "ol": f"margin:0 0 16px;padding-{start}:26px;padding-{end}:0;",
        "li": "margin:0 0 8px;",
        "a": f"color:{LIGHT.link};text-decoration:underline;word-break:break-word;",
        "blockquote": f"margin:0 0 16px;padding:2px 18px;border-{start}:4px solid {LIGHT.link};color:{LIGHT.muted};",
        "code": f"font-family:{MONOSPACE};font-size:15px;background-color:{LIGHT.shade};padding:1px 4px;",
        "pre": f"margin:0 0 16px;padding:12px;font-family:{MONOSPACE};font-size:15px;"
        f"background-color:{LIGHT.shade};white-space:pre-wrap;text-align:left;line-height:1.45;"
        "word-break:break-word;",
        "date": "white-space:nowrap;",
        "hr": f"border:0;border-top:1px solid {LIGHT.line};margin:28px 0;",
        "figure": "margin:0 0 16px;text-align:center;",
        # Of the width that is there, also while it is blocked: the attribute, for Outlook, would widen the column.
        "img": "display:inline-block;width:100%;max-width:{width}px;height:auto;border:0;",
        "number": "white-space:nowrap;",
        # Of the width that is there, also inside the frame's tables, so that a wide table scrolls.
        "frame": "table-layout:fixed;width:100%;margin:0 0 16px;border-collapse:collapse;",
        "scroll": "overflow-x:auto;",
        "table": "border-collapse:collapse;width:100%;font-size:15px;line-height:1.45;",
        "stacked": "",
        # Outlook hides by a property of its own.
        "label": "display:none;mso-hide:all;",
        **{f"td-{side}": f"{cell}text-align:{side};" for side in ("left", "center", "right")},
        **{f"th-{side}": f"{head}text-align:{side};" for side in ("left", "center", "right")},
        "td-start": f"{cell}text-align:{start};",
        "th-start": f"{head}text-align:{start};",
    }
    return {
        name: style if name == "table" else _class(name) + (f' style="{style}"' if style else "")
        for name, style in styles.items()
    }


# Names that only rules of the sheet, or tests, use.
_OF_SHEET: Final = frozenset({"scroll", "stacked", "label"})


def _class(name: str) -> str:
    kind = "h" if name in _HEADINGS else name.partition("-")[0]
    return f' class="nl-{kind}"' if kind in _DARK or kind in _OF_SHEET else ""


def _sheet() -> str:
    def important(style: str) -> str:
        return style.replace(";", " !important;") + " !important"

    # The frame's own tables and elements repeat the background and the text colour inline.
    inner = {"surface": ", .nl-surface > table", "body": ", .nl-body div", "page": ", body"}
    dark = "".join(
        f".nl-{name}{inner.get(name, '')} {{ {important(style)} }}\n"
        for name, style in _DARK.items()
    )
    # Outlook on the web has no media queries of colours; it marks the elements around a mail that it darkens.
    outlook = "".join(
        f"[data-ogsc] .nl-{name} {{ {important(style)} }}\n" for name, style in _DARK.items()
    )
    return (
        ":root { color-scheme: light dark; supported-color-schemes: light dark; }\n"
        f"@media (prefers-color-scheme: dark) {{\n{dark}}}\n{outlook}"
        "@media only screen and (max-width: 480px) {\n"
        ".nl-surface > table > tbody > tr > td { padding: 20px 16px !important; }\n"
        ".nl-td, .nl-th { padding: 8px 4px !important; font-size: 14px !important; }\n"
        # A row of a wide table is a block, with the name of the column before each value.
        ".nl-stacked thead { display: none !important; }\n"
        ".nl-stacked, .nl-stacked tbody, .nl-stacked tr, .nl-stacked td { display: block !important; "
        "min-width: 0 !important; text-align: start !important; }\n"
        ".nl-stacked td { border: 0 !important; padding: 2px 0 !important; }\n"
        ".nl-stacked tr { border-bottom: 1px solid #8a8a8a !important; padding: 8px 0 !important; }\n"
        ".nl-label { display: inline !important; font-weight: bold !important; }\n"
        "}\n"
    )


SHEET: Final = _sheet()
