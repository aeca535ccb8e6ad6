// Set up for every test file. Many share a process, one after the other: none leaves anything behind for the next.
import fc from 'fast-check'
import { afterAll, afterEach, beforeEach, vi } from 'vitest'
import { runAfter, runBefore } from './each-test.js'
import { watchLoop } from './loop-watch.js'
import { howMany, soaking } from './soak.js'

fc.configureGlobal({ numRuns: howMany(15, 100) })

const withPeers = [
  /\/toolwire\/test\/(?:auth|client|conversations|hostile|interop|server|threats|transports)\//,
  /\/gateway\/test\/(?:access|api|approvals|catalog|faults|guard|http|lifecycle|logins|matrix|monitoring|real|relay|stdio|upstreams)\//,
]

/** They make thousands of calls in this process at once, which is their own work. */
const withCrowds = /\/test\/(?:server\/rate-limits|guard\/limits)\.test\.ts$/

if (soaking)
  beforeEach(({ task }) => {
    const { filepath } = task.file
    if (withPeers.some((folder) => folder.test(filepath)) && !withCrowds.test(filepath)) watchLoop()
  })

beforeEach(runBefore)
afterEach(runAfter)

afterAll(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  vi.unstubAllEnvs()
})
