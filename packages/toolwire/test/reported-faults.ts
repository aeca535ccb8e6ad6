// Collects the faults that the server reports to its operator, instead of printing them.
import { reportTo } from 'toolwire'
import { beforeEachTest } from './each-test.js'

export type Fault = { readonly id: string; readonly where: string; readonly fault: unknown }

/** All faults that were reported since the test began. */
export const faults: Fault[] = []

/** Installs the reporter again, in case another test has replaced it. */
export const noteFaults = (): void =>
  reportTo((id, where, fault) => {
    if (!isOfEarlierFile(fault)) faults.push({ id, where, fault })
  })

/** Stores try to write what a test file left, although its pool has ended, until the process ends. */
const isOfEarlierFile = (fault: unknown): boolean =>
  fault instanceof Error && fault.message === 'Cannot use a pool after calling end on the pool'

noteFaults()
beforeEachTest(() => void faults.splice(0))
