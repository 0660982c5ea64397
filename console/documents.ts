// The documentation as pages of their own, below docs/: a deployment has no other place for it. They need no script and no
// login, so that a person who has only the console can read them.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { Marked, type Tokens } from "marked";
import type { Plugin } from "vite";

const SOURCES = fileURLToPath(new URL("docs", import.meta.url)); // local/console/build.py copies them
const STYLE = fileURLToPath(new URL("documents.css", import.meta.url));
const FOLDER = "docs/";

interface Heading {
  depth: number;
  text: string;
  slug: string;
}

// *name*: `connect/meta`, of connect/meta.md.
interface Document {
  name: string;
  title: string;
  headings: Heading[];
  content: string;
}

export function documents(): Plugin {
  return {
    name: "documents",
    generateBundle() {
      const names = readdirSync(SOURCES, { recursive: true, encoding: "utf-8" })
        .filter((file) => file.endsWith(".md"))
        .map((file) => file.slice(0, -".md".length).split(sep).join("/"))
        .sort();
      const found = names.map((name) => rendered(name, readFileSync(join(SOURCES, `${name}.md`), "utf-8"), new Set(names)));
      for (const one of found) this.emitFile({ type: "asset", fileName: `${FOLDER}${one.name}.html`, source: page(one) });
      this.emitFile({ type: "asset", fileName: `${FOLDER}index.html`, source: contents(found) });
      this.emitFile({ type: "asset", fileName: `${FOLDER}documents.css`, source: readFileSync(STYLE, "utf-8") });
    },
  };
}

function rendered(name: string, text: string, names: ReadonlySet<string>): Document {
  const headings: Heading[] = [];
  const marked = new Marked({ gfm: true });
  marked.use({
    renderer: {
      heading({ tokens, depth }: Tokens.Heading) {
        const content = this.parser.parseInline(tokens);
        const plain = this.parser.parseInline(tokens, this.parser.textRenderer);
        const slug = unique(slugOf(plain), headings);
        headings.push({ depth, text: plain, slug });
        return `<h${depth} id="${escaped(slug)}">${content}</h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        const content = this.parser.parseInline(tokens);
        const target = addressOf(name, href, names);
        return target === null ? content : `<a href="${escaped(target)}">${content}</a>`;
      },
      // Pictures are no part of these pages: they are only named.
      image: ({ text, href }: Tokens.Image) => `<i>${escaped(text || posix.basename(href))}</i>`,
      code: ({ text }: Tokens.Code) => `<pre tabindex="0"><code>${escaped(text)}</code></pre>\n`,
      html: ({ text }: Tokens.HTML | Tokens.Tag) => (text.startsWith("<!--") ? "" : escaped(text)),
    },
    hooks: {
      // A wide table scrolls by itself.
      postprocess: (html) => html.replaceAll("<table>", '<div class="wide" role="region" aria-label="Table" tabindex="0"><table>').replaceAll("</table>", "</table></div>"),
    },
  });
  const content = marked.parse(text, { async: false });
  return { name, title: headings[0]?.text ?? name, headings, content };
}

// The address of a link, seen from a page. What is not among these pages, such as code, is only named: null.
function addressOf(name: string, href: string, names: ReadonlySet<string>): string | null {
  if (/^(https:|#)/.test(href)) return href;
  const [path, section] = href.split("#");
  if (!path?.endsWith(".md")) return null;
  const target = posix.join(dirname(name), path.slice(0, -".md".length));
  if (!names.has(target)) return null;
  return `${posix.relative(dirname(name), target)}.html${section ? `#${section}` : ""}`;
}

// As GitHub names headings, so that links of the sources hold here, too.
function slugOf(heading: string): string {
  return heading.trim().toLowerCase().replace(/[^\p{L}\p{N}\p{M}_\- ]/gu, "").replaceAll(" ", "-");
}

function unique(slug: string, before: readonly Heading[]): string {
  const known = new Set(before.map((one) => one.slug));
  let [found, number] = [slug, 0];
  while (known.has(found)) found = `${slug}-${++number}`;
  return found;
}

function page({ name, title, headings, content }: Document): string {
  const parts = headings.filter(({ depth }) => depth === 2 || depth === 3);
  const list = parts.map(({ depth, text, slug }) => `<li class="depth-${depth}"><a href="#${escaped(slug)}">${escaped(text)}</a></li>`).join("\n");
  const nav = parts.length > 1 ? `<nav aria-label="On this page"><details><summary>On this page</summary><ul>\n${list}\n</ul></details></nav>` : "";
  return framed(name, title, `${nav}\n<main>\n${content}</main>`);
}

function contents(all: readonly Document[]): string {
  const list = all.map(({ name, title }) => `<li><a href="${escaped(name)}.html">${escaped(title)}</a></li>`).join("\n");
  return framed("index", "Documentation", `<main><h1>Documentation</h1><ul>\n${list}\n</ul></main>`);
}

function framed(name: string, title: string, body: string): string {
  const root = relative(dirname(`/${name}`), "/");
  const up = root ? `${root.split(sep).join("/")}/` : "";
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<meta name="color-scheme" content="light dark" />
<title>${escaped(title)} · Parley</title>
<link rel="stylesheet" href="${up}documents.css" />
</head>
<body>
<header><a href="${up}index.html">Parley: all pages of the documentation</a></header>
${body}
</body>
</html>
`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
