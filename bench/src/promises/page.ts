// Formats the results as lines and as a table for the documentation.
import { promise } from './measure.js'
import type { Subject } from './roads.js'

export type Measured = {
  readonly subject: Subject
  readonly name: string
  readonly blockMs: number
  /** In addition to the input itself. */
  readonly growthMiB: number
  readonly holds: boolean
  readonly failure?: string
}

export const lineOf = ({ subject, name, blockMs, growthMiB, holds, failure }: Measured): string =>
  `${holds ? 'holds ' : 'BROKEN'} ${subject.padEnd(8)}${name.padEnd(58)}${ms(blockMs).padStart(9)}${mib(growthMiB).padStart(10)}${failure ? `  ${failure}` : ''}`

const ms = (value: number): string => `${Math.round(value)} ms`
const mib = (value: number): string => `${Math.round(value)} MiB`

const begin = '<!-- figures: npm run promises -->'
const end = '<!-- end of figures -->'

export function pageWith(page: string, measured: readonly Measured[]): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from === -1 || to === -1) throw new Error(`The page has no place for figures: it needs "${begin}" and "${end}"`)
  return `${page.slice(0, from)}${begin}\n\n${tableOf(measured)}\n${page.slice(to)}`
}

function tableOf(measured: readonly Measured[]): string {
  const rows = measured.map(
    ({ subject, name, blockMs, growthMiB, holds }) =>
      `| ${subject} | ${name} | ${ms(blockMs)} | ${mib(growthMiB)} | ${holds ? 'yes' : '**no**'} |`,
  )
  const head = `| attacked | input | longest block | largest growth | within ${promise.blockMs} ms and ${promise.growthMiB} MiB |`
  return [head, '| --- | --- | --- | --- | --- |', ...rows, ''].join('\n')
}
