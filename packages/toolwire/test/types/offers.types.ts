// Checked by `tsc -p tsconfig.json` alone: prompts and resources.
import { type Caller, prompt, resource, server, template } from 'toolwire'
import { type Equal, is } from './equal.js'

export const greet = prompt({
  args: { name: { required: true }, tone: { description: 'How to sound' } },
  run: (args) => {
    is<Equal<typeof args.name, string>>()
    is<Equal<typeof args.tone, string | undefined>>()
    return `Greet ${args.name}`
  },
})

prompt({ run: async () => [{ role: 'user', content: { type: 'text', text: 'Hello' } }] })
// @ts-expect-error unknown argument of the prompt
prompt({ args: { name: { required: true } }, run: ({ nmae }) => String(nmae) })
// @ts-expect-error the argument may be undefined
prompt({ args: { name: {} }, run: ({ name }) => name.toUpperCase() })
// @ts-expect-error the prompt has no arguments
prompt({ run: ({ name }) => String(name) })
// @ts-expect-error unknown role
prompt({ run: () => [{ role: 'system', content: { type: 'text', text: 'Hello' } }] })
// @ts-expect-error a prompt returns text or messages
prompt({ run: () => 1 })

export const readme = resource({ uri: 'notes://readme', read: () => 'text' })
resource({ uri: 'notes://bytes', read: async (ctx) => (ctx.signal.aborted ? new Uint8Array() : 'text') })
// @ts-expect-error a resource needs a URI
resource({ read: () => 'text' })
// @ts-expect-error only a template may return undefined
resource({ uri: 'notes://none', read: () => undefined })

export const note = template({
  uriTemplate: 'notes://{id}',
  complete: {
    id: (prefix, given, caller) => {
      is<Equal<typeof prefix, string>>()
      is<Equal<typeof given, Readonly<Record<string, string>>>>()
      is<Equal<typeof caller, Caller>>()
      return [prefix]
    },
  },
  read: ({ id }) => {
    is<Equal<typeof id, string | undefined>>()
    return id === 'gone' ? undefined : `note ${id}`
  },
})
// @ts-expect-error suggestions are strings
template({ uriTemplate: 'notes://{id}', complete: { id: () => [1] }, read: () => 'text' })

server({ name: 'notes', version: '1.0.0', resources: { readme, note }, prompts: { greet } })
// @ts-expect-error a prompt is not a resource
server({ name: 'notes', version: '1.0.0', resources: { greet } })
// @ts-expect-error a resource is not a prompt
server({ name: 'notes', version: '1.0.0', prompts: { readme } })
