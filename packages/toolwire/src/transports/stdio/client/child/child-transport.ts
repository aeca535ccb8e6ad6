import type { ChildProcessWithoutNullStreams } from 'node:child_process'
import type { Readable } from 'node:stream'
import { type ClientTransport, TransportError, type TransportListener } from '../../../../peer/client-transport.js'
import { withoutTerminalSequences } from '../../../../text/hidden/terminal-sequences.js'
import { visible } from '../../../../text/visible.js'
import { afterSilence } from '../after-silence.js'
import { lineTransport } from '../line-transport.js'
import { endChild } from './end-child.js'
import { watchProcessGroup } from './watchdog.js'

/** Milliseconds to wait for the child's last answers, exit code and output after the first sign of its end. */
const lastWordsMs = 50

type ChildTransportOptions = {
  readonly name: string
  readonly limit: number | undefined
  readonly graceMs: number
  readonly onStderr: (text: string) => void
}

/** The transport to a started child: lines over its stdin and stdout, and an orderly end. */
export function childTransport(
  child: ChildProcessWithoutNullStreams,
  listener: TransportListener,
  { name, limit, graceMs, onStderr }: ChildTransportOptions,
): ClientTransport {
  // A child that has been spawned has a pid.
  const pid = child.pid!
  const release = watchProcessGroup(pid, (text) => listener.warn(text))
  const exited = new Promise((resolve) => child.once('exit', resolve))
  const tail = stderrTail(child.stderr, onStderr)
  let cancelEnd: (() => void) | undefined
  let isOver = false
  /** True when all lines were heard, which may be after the child has closed its output. */
  let isHeard = false
  let isClosed = false
  let gone: Promise<void> | undefined

  /** The end of a child has several signs, in any order. Some never come if a grandchild holds the pipes. */
  const isEnding = (): void => {
    if (!isOver) cancelEnd ??= afterSilence(lastWordsMs, () => lines.isBehind, endedUnheard)
  }
  /** Once the pipes are closed, all lines are here, and the last one that is heard ends the connection. */
  const endedUnheard = (): void => {
    cancelEnd = undefined
    if (!isClosed) ended()
  }
  const ended = (): void => {
    if (isOver) return
    const words = printed()
    const message = `The server ${name} ${endOf(child)}${words === '' ? '' : `. ${words}`}`
    void end()
    listener.ended(new TransportError('exited', message, { sent: true }))
  }
  const lines = lineTransport(
    { readable: child.stdout, writable: child.stdin },
    {
      hear: (message) => listener.hear(message),
      lost: (id, why) => listener.lost(id, why),
      warn: (text) => listener.warn(text),
      ended() {
        isHeard = true
        if (isClosed) ended()
        else isEnding()
      },
    },
    { limit },
  )
  child.once('exit', isEnding).once('close', () => {
    isClosed = true
    if (isHeard) ended()
  })

  const printed = (): string => {
    const words = tail()
    return [lines.printed, words && `The end of its stderr:\n${words}`].filter((part) => part !== '').join('\n')
  }
  const end = (): Promise<void> => {
    isOver = true
    cancelEnd?.()
    gone ??= endAll()
    return gone
  }
  const endAll = async (): Promise<void> => {
    lines.finish()
    await endChild(pid, exited, graceMs)
    release()
    // A process that has left the group may still hold the pipes.
    child.stdout.destroy()
    child.stderr.destroy()
  }
  return {
    shape: 'pipe',
    send: lines.send,
    drop: lines.drop,
    settled: lines.settled,
    get printed() {
      return printed()
    },
    close() {
      lines.hush()
      return end()
    },
  }
}

function endOf({ exitCode, signalCode }: ChildProcessWithoutNullStreams): string {
  if (signalCode) return `was ended by ${signalCode}`
  return exitCode === null ? 'closed its output' : `exited with code ${exitCode}`
}

const kept = 8 * 1024
const longestShown = 2_000

/**
 * Drains a child's stderr, so that the child never blocks on it, and returns the end of it for an error message: without colour
 * codes, which would be shown as text, and without half a word. Output on stderr is no error by itself.
 */
function stderrTail(stderr: Readable, hear: (text: string) => void): () => string {
  let end = ''
  stderr.setEncoding('utf8')
  stderr.on('data', (text: string) => {
    end = (end + text).slice(-kept)
    hear(text)
  })
  // Output that cannot be read is missing from the tail, and nothing waits for it.
  stderr.on('error', () => stderr.destroy())
  return () => {
    const text = visible(withoutTerminalSequences(end).trim())
    if (text.length <= longestShown) return text
    const shown = text.slice(-longestShown)
    return shown.slice(shown.search(/\s/) + 1)
  }
}
