import { goal, type Goal } from './goals.ts';
import type { PageCost } from './page-costs.ts';
import type { Row } from './rows.ts';
import { median } from './statistics.ts';
import type { Table } from './tables.ts';
import type { TwoStacks } from './two-stacks.ts';
import type { WatcherCosts } from './watchers.ts';

/** What each page or each watcher costs beside recognition, and the rows that it is held against. */
interface SmallFigures {
  readonly rows: readonly Row[];
  readonly page_costs: readonly PageCost[];
  readonly watchers: WatcherCosts;
}

const MODES = ['gray', 'colour', 'lineart'] as const;

/** All that is done for a page beside its recognition may cost this share of Tesseract's time. */
const ALL = '+ all but black and white';
const ALL_LIMIT = 0.15;
/** Ten watchers, and previews, events and page facts together, as shares of all CPU time of a page. */
const WATCHED_LIMIT = 0.02;
const SHOWN_LIMIT = 0.05;

/** CPU-seconds per page that something adds, and the share of Tesseract alone in the same run. */
export function pageCostTable({ rows, page_costs }: SmallFigures): Table {
  const cells = page_costs.map(({ what, cpu_s_per_page: cpu }) => [
    what,
    ...MODES.map((mode) => withShare(cpu[mode], tesseractIn(rows, mode))),
  ]);
  const tesseract = MODES.map((mode) => tesseractIn(rows, mode)?.toFixed(2) ?? '–');
  return [
    ['CPU s per page (share of Tesseract alone)', ...MODES],
    ...cells,
    ['Tesseract alone', ...tesseract],
  ];
}

export function watcherTable({ rows, watchers }: SmallFigures): Table {
  const { alone_cpu_s_per_page: alone, watchers: count } = watchers;
  const page = cpuOfPage(rows);
  const line = (who: string, cpu: number): string[] => [
    who,
    (cpu * 1000).toFixed(1),
    page === undefined ? '–' : percent((cpu - alone) / page),
  ];
  return [
    ['watchers of a scan', 'CPU ms of the service per page', 'share of all CPU time of a page'],
    line('none', alone),
    line(`${count}, reading the events`, watchers.events_cpu_s_per_page),
    line(`${count}, also fetching each preview`, watchers.previews_cpu_s_per_page),
  ];
}

export function twoStackTable({ pages, first, second, order }: TwoStacks): Table {
  const line = (who: string, { alone_s, beside_s }: TwoStacks['first']): string[] => [
    who,
    alone_s.toFixed(2),
    beside_s.toFixed(2),
  ];
  return [
    [`two stacks of ${pages} gray pages`, 's after the last sheet alone', 'beside the other'],
    line('first, unpaced', first),
    line('second, at 50 sheets/min, fed while the first is recognised', second),
    ['stack of each page in the order of recognition', '', order],
  ];
}

/** The goals for what is shown and examined. */
export function smallGoals({ rows, page_costs, watchers }: SmallFigures): Goal[] {
  const costOf = (what: string, mode: string): number | undefined =>
    page_costs.find((cost) => cost.what === what)?.cpu_s_per_page[mode];
  const together = MODES.flatMap((mode) => {
    const tesseract = tesseractIn(rows, mode);
    const cost = costOf(ALL, mode);
    return tesseract === undefined || cost === undefined
      ? []
      : [
          goal(
            `examining, codes, turning and layers together against Tesseract (${mode})`,
            ALL_LIMIT,
            cost / tesseract,
          ),
        ];
  });
  const page = cpuOfPage(rows);
  const facts = costOf('+ blank score and skew', 'gray');
  if (page === undefined || facts === undefined) return together;
  const watching = watchers.previews_cpu_s_per_page - watchers.alone_cpu_s_per_page;
  const share = `of all CPU time of a gray page`;
  return [
    ...together,
    goal(
      `share of ${watchers.watchers} watchers with previews ${share}`,
      WATCHED_LIMIT,
      watching / page,
    ),
    goal(
      `share of previews, events and page facts ${share}`,
      SHOWN_LIMIT,
      (watching + facts) / page,
    ),
  ];
}

function tesseractIn(rows: readonly Row[], mode: string): number | undefined {
  const found = rows.flatMap((row) =>
    row.mode === mode && row.side === 'ours' ? (row.reference_cpu_s_per_page ?? []) : [],
  );
  return found.length === 0 ? undefined : median(found);
}

/** CPU-seconds of everything for a gray page of the largest unpaced stack. */
function cpuOfPage(rows: readonly Row[]): number | undefined {
  return rows.findLast(
    ({ mode, side, variant, pace }) =>
      mode === 'gray' && side === 'ours' && variant === 'plain' && pace === 'unpaced',
  )?.cpu_s_per_page;
}

function withShare(cpu: number | undefined, of: number | undefined): string {
  if (cpu === undefined) return '–';
  return of === undefined ? cpu.toFixed(3) : `${cpu.toFixed(3)} (${percent(cpu / of)})`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
