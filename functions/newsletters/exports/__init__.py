"""
Renders the content of a draft as PDF, DOCX, HTML, e-mail, Markdown or text. Pure: no AWS and no network.

    Document -> tree (the only place that parses markup) -> blocks -> a writer -> Rendered

`formats.render` is the entry point. It imports a writer when its format is first rendered, because typst, python-docx
and mjml are large.
"""
