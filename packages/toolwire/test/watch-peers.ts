// Set up for every test file. Many share a process, one after the other: none leaves anything behind for the next.
import fc from 'fast-check'
import { afterAll, afterEach, beforeEach, vi } from 'vitest'
import { runAfter, runBefore } from './each-test.js'
import { watchLoop } from './loop-watch.js'
import { howMany, soaking } from './soak.js'

fc.configureGlobal({ numRuns: howMany(30, 100) })

const withPeers = /\/test\/(?:server|client|transports|threats|offers|gateway|door|login|faults)\//

/** They make tens of thousands of calls in this process at once, which is their own work. */
const withCrowds = /\/test\/server\/rates\.test\.ts$/

if (soaking)
  beforeEach(({ task }) => {
    const { filepath } = task.file
    if (withPeers.test(filepath) && !withCrowds.test(filepath)) watchLoop()
  })

beforeEach(runBefore)
afterEach(runAfter)

afterAll(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
})
