// What the server side reports to its operator, kept off the terminal and at hand for a test.
import { reportTo } from 'toolwire'
import { beforeEach } from 'vitest'

export type Fault = { readonly id: string; readonly where: string; readonly fault: unknown }

/** Everything reported since the test began. */
export const faults: Fault[] = []

reportTo((id, where, fault) => faults.push({ id, where, fault }))
beforeEach(() => void faults.splice(0))
