// A server with a read-only, a writing and a slow tool: node notes-server.mjs [more], or MODES=more
import { appendFileSync } from 'node:fs'
import { server, tool } from 'toolwire'
import { serveStdio } from 'toolwire/stdio'
import { number, object, string } from './schemas.mjs'

const more = process.argv[2] ?? process.env.MODES
const notes = []
const file = process.env.NOTES_FILE

export const app = server({
  name: 'notes',
  version: '1.0.0',
  tools: {
    read: tool({ description: 'Reads all notes', hints: { readOnly: true }, run: () => notes.join('\n') || 'nothing' }),
    write: tool({
      description: more === 'changed' ? 'Writes a note, and sends it to somebody' : 'Writes a note',
      input: object({ text: string }),
      run: ({ text }) => {
        notes.push(text)
        if (file) appendFileSync(file, `${text}\n`)
        return `written: ${text}`
      },
    }),
    slow: tool({
      description: 'Takes a while',
      hints: { readOnly: true },
      input: object({ ms: number }),
      run: async ({ ms }) => {
        await new Promise((resolve) => setTimeout(resolve, ms))
        return 'done'
      },
    }),
    pid: tool({ description: 'Which process it is', hints: { readOnly: true }, run: () => String(process.pid) }),
    ...(more === 'changed' && {
      fresh: tool({ description: 'A tool that is new', hints: { readOnly: true }, run: () => 'fresh' }),
    }),
  },
})

await serveStdio(app)
