// Servers that are started as child processes. spec 2026-07-28, basic/transports/stdio
import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import { existsSync } from 'node:fs'
import { type Endpoint, TransportError, type TransportListener } from '../../../../peer/client-transport.js'
import { childTransport } from './child-transport.js'
import { type Command, commandKey, commandName } from './command.js'
import { spawnServer } from './spawn-server.js'

export type { Command } from './command.js'

export type ChildEndpointOptions = {
  /** Longest line accepted, and limit of bytes queued for a server that does not read. */
  readonly limit?: number
  /** Milliseconds for the child to exit after each step of its end: stdin closed, SIGTERM, SIGKILL. */
  readonly graceMs?: number
}

/** An endpoint that starts its server for each connection. */
export function childEndpoint(command: Command, options: ChildEndpointOptions = {}): Endpoint {
  const name = commandName(command)
  const { limit, graceMs = 5_000 } = options
  return {
    name,
    key: commandKey(command),
    async dial(listener) {
      const child = await start(command, name)
      return childTransport(child, listener, { name, limit, graceMs, onStderr: safeStderrListener(command, listener) })
    },
  }
}

async function start(command: Command, name: string): Promise<ChildProcessWithoutNullStreams> {
  try {
    await command.beforeStart?.()
    const child = spawnServer(command)
    await new Promise((resolve, reject) => child.once('spawn', resolve).once('error', reject))
    return child
  } catch (cause) {
    const reason = reasonOf(cause, command)
    throw new TransportError('unreachable', `The server ${name} cannot be started: ${reason}`, { sent: false, cause })
  }
}

function reasonOf(cause: unknown, { command, cwd }: Command): string {
  const { code, message } = cause as NodeJS.ErrnoException // spawn emits or throws such errors
  if (code === 'ENOENT' && cwd !== undefined && !existsSync(cwd)) return `its folder does not exist: ${cwd}`
  if (code === 'ENOENT') return `command not found: ${command}. Is it installed, and in the PATH? A full path always works.`
  if (code === 'EACCES') return `${command} may not be executed; see its permissions`
  return message
}

/** A listener for stderr that throws must not break the connection. */
function safeStderrListener({ onStderr }: Command, listener: TransportListener): (text: string) => void {
  let hear = onStderr
  return (text) => {
    try {
      hear?.(text)
    } catch (thrown) {
      hear = undefined
      listener.warn(`onStderr has thrown, and is not called again: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
    }
  }
}
