// A server that notes what it is asked in ASKED_FILE, and that waits at its start as long as CLOSED_FILE exists.
import { appendFileSync, existsSync } from 'node:fs'
import { prompt, resource, server, template } from 'toolwire'
import { serveStdio } from 'toolwire/stdio'

const { ASKED_FILE: asked, CLOSED_FILE: closed } = process.env
const note = (what) => appendFileSync(asked, `${what}\n`)

while (existsSync(closed)) await new Promise((resolve) => setTimeout(resolve, 5))

function complete() {
  note('completion')
  return ['ada', 'alan']
}

await serveStdio(
  server({
    name: 'reading',
    version: '1.0.0',
    resources: {
      pid: resource({ uri: 'shelf://pid', read: () => String(process.pid) }),
      book: resource({
        uri: 'shelf://book',
        read() {
          note('resource')
          return 'a book'
        },
      }),
      page: template({
        uriTemplate: 'shelf://page/{number}',
        read({ number }) {
          note('template')
          return `page ${number}`
        },
      }),
    },
    prompts: {
      greet: prompt({
        args: { who: { complete } },
        run() {
          note('prompt')
          return 'hello'
        },
      }),
    },
  }),
)
