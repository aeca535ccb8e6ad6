// Our own server, over stdio, HTTP, HTTP+SSE and in memory, in all revisions.
import { connect } from 'toolwire/client'
import { afterAll } from 'vitest'
import { fixture } from '../fixture.js'
import { served } from '../legs.js'
import { program } from '../program.js'
import { converse } from './conversation.js'
import { handshake, legs, newest } from './ways.js'

const pinned = [newest, ...handshake]
const open: Awaited<ReturnType<typeof served>>[] = []
afterAll(() => Promise.all(open.map((server) => server.close())))

/** A new server for each leg, so that changes in one do not affect others. */
async function server() {
  const made = await served()
  open.push(made)
  return made
}

converse([
  ...legs('toolwire in memory', { pinned, found: newest }, (options) => connect(fixture(), options)),
  ...legs('toolwire over stdio', { pinned, found: newest }, async (options) => connect(await program(), options)),
  ...legs('toolwire over HTTP', { pinned, found: newest }, async (options) => connect((await server()).url, options)),
  ...legs('toolwire over HTTP+SSE', { pinned: ['2024-11-05', '2025-11-25'] }, async (options) =>
    connect((await server()).sse.href, options),
  ),
])
