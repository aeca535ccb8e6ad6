// Set up for every test file: those that talk to a peer are watched.
import { beforeEach } from 'vitest'
import { watchLoop } from './loop-watch.js'

const withPeers = /\/test\/(?:server|client|transports|threats|offers|gateway|door|login|faults)\//

/** They make tens of thousands of calls in this process at once, which is their own work. */
const withCrowds = /\/test\/server\/rates\.test\.ts$/

beforeEach(({ task }) => {
  const { filepath } = task.file
  if (withPeers.test(filepath) && !withCrowds.test(filepath)) watchLoop()
})
