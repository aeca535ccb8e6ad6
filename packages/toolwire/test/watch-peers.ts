// Set up for every test file: those that talk to a peer are watched.
import { beforeEach } from 'vitest'
import { watchLoop } from './loop-watch.js'

const withPeers = /\/test\/(?:server|client|transports|threats|offers|gateway|door|login|faults)\//

beforeEach(({ task }) => {
  if (withPeers.test(task.file.filepath)) watchLoop()
})
