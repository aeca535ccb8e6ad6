import type { Readable, Writable } from 'node:stream'
import { type types, wire } from 'toolwire/relay'
import { localCaller } from '../access/local-callers.js'

type HostStreams = true | { readonly readable: Readable; readonly writable: Writable }

/** Serves the host that started this process, until it disconnects. Nothing else may write to stdout meanwhile. */
export function serveHost(app: types.Served, stdio: HostStreams): Promise<void> {
  const { readable, writable } = stdio === true ? { readable: process.stdin, writable: process.stdout } : stdio
  return wire.serveLines(app, { readable, writable, caller: localCaller })
}
