// What the server side reports to its operator, kept off the terminal and at hand for a test.
import { reportTo } from 'toolwire'
import { beforeEachTest } from './each-test.js'

export type Fault = { readonly id: string; readonly where: string; readonly fault: unknown }

/** Everything reported since the test began. */
export const faults: Fault[] = []

/** From now on; somebody else may have wanted them meanwhile. */
export const noteFaults = (): void => reportTo((id, where, fault) => faults.push({ id, where, fault }))

noteFaults()
beforeEachTest(() => void faults.splice(0))
