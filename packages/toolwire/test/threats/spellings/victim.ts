// A server with harmful tools behind rules, which counts the calls that were not denied.
import { jsonSchema, server, tool } from 'toolwire'
import { defineRules, rules } from '../../../src/rules.js'

const anything = jsonSchema<Record<string, unknown>>({ type: 'object', additionalProperties: true })

export const ruleSet = defineRules({
  default: 'allow',
  rules: [
    { name: 'system files', when: { tool: 'delete_file', arguments: { path: { under: '/etc' } } }, decision: 'deny' },
    { name: 'no drops', when: { tool: 'query', arguments: { sql: { glob: '*DROP*' } } }, decision: 'deny' },
    { name: 'large sums', when: { tool: 'pay', arguments: { sum: { minimum: 1 } } }, decision: 'deny' },
    { name: 'shutting down', when: { tool: 'shut_*' }, decision: 'deny' },
  ],
})

/** The server, and the runs of its handlers. */
export function victim() {
  const ran: string[] = []
  const harmful = (name: string) => tool({ description: name, input: anything, run: () => `ran ${ran.push(name)}` })
  const tools = {
    delete_file: harmful('delete_file'),
    query: harmful('query'),
    pay: harmful('pay'),
    shut_down: harmful('shut_down'),
  }
  return { ran, app: server({ name: 'victim', version: '1', tools, policies: [rules(ruleSet)] }) }
}
