import { checkOptions, optionsOf } from '../../tools/checks/known-options.js'
import { someObject } from '../../tools/checks/option-values.js'
import { type AuditHead, auditLine, checkHead } from './entry.js'
import { type AuditLog, auditLog } from './log.js'

type NodeWritable = {
  write(chunk: string, written: (error?: Error | null) => void): unknown
  on?(event: 'error', listener: (error: Error) => void): unknown
}

type AuditToOptions = {
  /** The last entry that was written earlier, as `verifyAudit` returns it. Undefined begins a new log. */
  head?: AuditHead | undefined
}

const known = optionsOf<AuditToOptions>()({ head: someObject })

/**
 * Writes the log to a stream, one line of JSON for each entry. A record is safe when the stream confirms the write. A stream that has
 * failed once may end in half a line: it takes nothing more, and the log must continue in another.
 *
 * @example
 * ```ts
 * const log = auditTo(process.stderr)
 * ```
 */
export function auditTo(stream: WritableStream<Uint8Array> | NodeWritable, options: AuditToOptions = {}): AuditLog {
  checkOptions('auditTo()', options, known)
  const write = 'getWriter' in stream ? toWeb(stream) : toNode(stream)
  let broken: Error | undefined
  const begin = checkHead(options.head)
  return auditLog({
    ...(begin && { head: () => begin }),
    async write(entries) {
      if (broken) throw broken
      try {
        await write(entries.map((entry) => `${auditLine(entry)}\n`).join(''))
      } catch (cause) {
        broken = new Error('The stream of the audit log is broken; continue the log in a new stream, with the head of this log', {
          cause,
        })
        throw broken
      }
    },
  })
}

type Write = (text: string) => Promise<void>

function toWeb(stream: WritableStream<Uint8Array>): Write {
  const writer = stream.getWriter()
  const utf8 = new TextEncoder()
  writer.closed.catch(ignoreError)
  return async (text) => {
    await writer.ready
    await writer.write(utf8.encode(text))
  }
}

function toNode(stream: NodeWritable): Write {
  // Without a listener the error would end the process.
  stream.on?.('error', ignoreError)
  return (text) => new Promise((resolve, reject) => stream.write(text, (error) => (error ? reject(error) : resolve())))
}

/** The failed write reports the same error. */
const ignoreError = () => undefined
