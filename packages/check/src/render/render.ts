import type { CheckReport } from '../check-report.js'
import { type Emphasis, renderHuman } from './human.js'
import { renderJunit } from './junit.js'
import { renderSarif } from './sarif.js'

export const formats = ['human', 'json', 'sarif', 'junit'] as const
export type Format = (typeof formats)[number]

const renderers: Readonly<Record<Format, (report: CheckReport, emphasis?: Emphasis) => string>> = {
  human: renderHuman,
  json: (report) => `${JSON.stringify(report, undefined, 2)}\n`,
  sarif: renderSarif,
  junit: renderJunit,
}

/** Renders the report for people, programs, code scanning or test runners. */
export const render = (report: CheckReport, format: Format, emphasis?: Emphasis): string => renderers[format](report, emphasis)
