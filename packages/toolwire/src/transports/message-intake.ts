import { WarningLimiter } from '../bounds/warning-limiter.js'
import type { SingleMessage } from '../jsonrpc/read-message.js'
import { isOwnId, type TransportListener, unusableAnswer } from '../peer/client-transport.js'
import type { Revision } from '../revisions/revision.js'
import { visible } from '../text/visible.js'
import { messageReader } from './message-reader.js'

/** Reads messages from a pipe; anything else is skipped with a warning. */
export function messageIntake(listener: TransportListener) {
  const warnings = new WarningLimiter((text) => listener.warn(text))
  const firstLines: Uint8Array[] = []
  const lastLines: Uint8Array[] = []
  /** The number of lines between the first and the last ones. */
  let between = 0
  let isBatching = false
  let isStopped = false

  /** Keeps a copy, because lines are views; it is decoded only on demand, because there may be floods of lines. */
  function keep(line: Uint8Array): void {
    const kept = firstLines.length < keptAtStart ? firstLines : lastLines
    kept.push(line.slice(0, longestExcerpt))
    if (lastLines.length <= keptAtEnd) return
    lastLines.shift()
    between++
  }

  /** Judges a line by its first character only, so that a flood of garbage costs no more than one of messages. */
  function objectionTo(line: Uint8Array): (() => string) | undefined {
    const first = line.find((byte) => byte > space)
    if (first === openBrace) return undefined
    if (first !== openBracket) return () => `The server printed a line that is not a message: ${lineExcerpt(line)}`
    return isBatching ? undefined : () => 'The server sent an array, which the revision in use does not have; it was skipped'
  }

  function tell(message: SingleMessage) {
    if (message.kind !== 'invalid') return listener.hear(message)
    const { about, id, error } = message
    warnings.add(() => `The server sent an invalid message; it was skipped. ${error.message}`)
    // This request will get no better answer.
    if (about === 'response' && isOwnId(id)) listener.lost(id, unusableAnswer(error.message))
  }

  const reader = messageReader((message, text) => {
    if (isStopped) return
    if (message.kind === 'invalid' && text instanceof Uint8Array) keep(text)
    for (const item of message.kind === 'batch' ? message.items : [message]) tell(item)
  })

  return {
    /** Takes a text that is certainly meant as a message. */
    takeText: reader.read,
    /** Pending while messages wait for other work. */
    get behind() {
      return reader.behind
    },
    take(line: Uint8Array): void {
      const objection = objectionTo(line)
      if (objection) {
        keep(line)
        warnings.add(objection)
      } else reader.read(line)
    },
    /** Returns at once, because on a pipe the server may send messages at any time. */
    settled(revision: Revision): undefined {
      isBatching = revision.batching
    },
    /** The first and the last lines that were no messages. */
    printed: (): readonly string[] => [
      ...firstLines.map(lineExcerpt),
      ...(between > 0 ? [`… ${between} more lines …`] : []),
      ...lastLines.map(lineExcerpt),
    ],
    skipOversize: (limit: number): void =>
      warnings.add(() => `The server sent a message of more than ${limit} bytes; it was skipped`),
    /** Drops the messages that are waiting. */
    stop(): void {
      isStopped = true
    },
    end: (): void => warnings.flush(),
  }
}

const keptAtStart = 3
const keptAtEnd = 3
const longestExcerpt = 80
const space = 0x20
const openBrace = 0x7b
const openBracket = 0x5b

/** Such lines are mostly misdirected log messages, whose words tell their source. */
export const lineExcerpt = (line: Uint8Array): string => visible(new TextDecoder().decode(line.subarray(0, longestExcerpt)))
