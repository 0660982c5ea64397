// A plot of stacked bars with its legend, and the table of the same numbers beside it. The picture stretches; its words
// are text of the page, which keeps its size at any width.

import { t } from "../texts/texts";
import { count, Table } from "../operations/sections";
import { Button } from "../ui/controls";
import { csvOf, saveCsv } from "./csv";
import { total, type Line } from "./series";

const HEIGHT = 100;
const GAP = 0.15; // of a bar's width

interface Props {
  title: string;
  about?: string;
  first: string; // name of the first column
  series: string[];
  lines: Line[];
  show?: (value: number) => string;
}

export function Plot({ title, about, first, series, lines, show = count }: Props) {
  const highest = Math.max(0, ...lines.map(({ values }) => total(values)));
  const isEmpty = highest === 0;
  return (
    <section class="plot" aria-label={title}>
      <header class="plot-head">
        <h3>{title}</h3>
        {!isEmpty && (
          <Button kind="quiet" label={t("report.csv_of", { name: title })} onClick={() => saveCsv(title, csvOf([first, ...series], lines.map(({ name, values }) => [name, ...values])))}>
            CSV
          </Button>
        )}
      </header>
      {about && <p class="quiet">{about}</p>}
      {isEmpty ? (
        <p class="ops-empty">{t("report.nothing")}</p>
      ) : (
        <div class="plot-both">
          <figure class="plot-figure" dir="ltr">
            <span class="plot-most" aria-hidden="true">
              {show(highest)}
            </span>
            <svg class="plot-bars" viewBox={`0 0 ${lines.length} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={t("report.plot", { name: title })}>
              {lines.map((line, at) => (
                <Bar key={line.key ?? line.name} line={line} at={at} highest={highest} />
              ))}
            </svg>
            <span class="plot-ends" aria-hidden="true">
              <span>{lines[0]?.name}</span>
              <span>{lines.at(-1)?.name}</span>
            </span>
            {series.length > 1 && (
              <figcaption class="plot-legend">
                {series.map((name, number) => (
                  <span key={name}>
                    <svg class="plot-sign" viewBox="0 0 1 1" aria-hidden="true">
                      <rect class={`plot-bar plot-bar-${number}`} width="1" height="1" />
                    </svg>
                    {name}
                  </span>
                ))}
              </figcaption>
            )}
          </figure>
          <div class="plot-table">
            <Table
              label={title}
              rows={lines.filter(({ values }) => total(values) > 0)}
              keyOf={(line) => line.key ?? line.name}
              empty={t("report.nothing")}
              columns={[
                { name: first, cell: (line) => line.name },
                ...series.map((name, number) => ({ name, isNumber: true, cell: (line: Line) => show(line.values[number] ?? 0) })),
              ]}
            />
          </div>
        </div>
      )}
    </section>
  );
}

function Bar({ line, at, highest }: { line: Line; at: number; highest: number }) {
  let top = HEIGHT;
  return (
    <g>
      {line.values.map((value, number) => {
        const height = (value / highest) * HEIGHT;
        top -= height;
        return height > 0 ? <rect key={number} class={`plot-bar plot-bar-${number}`} x={at + GAP / 2} y={top} width={1 - GAP} height={height} /> : null;
      })}
    </g>
  );
}
