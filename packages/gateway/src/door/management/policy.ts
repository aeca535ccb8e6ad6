import { createHash } from 'node:crypto'
import type { ClaimedCall } from 'toolwire/rules'
import { recorded } from '../recorded.js'
import { type Ask, Refused, type Route } from './route.js'
import { anyObject, body, flag, listOf, moment, oneOf, shape, text, whole } from './shapes.js'

const written = {
  ...body({
    tool: text,
    'arguments?': anyObject,
    'caller?': { type: ['string', 'object'] },
    'server?': text,
    'hints?': anyObject,
    'tags?': listOf(text),
  }),
  description: 'A call as it would be made, to a tool by the name that callers know',
}

const decision = oneOf('allow', 'ask', 'deny')
const cases = listOf(shape({ name: text, tool: text, ok: flag, expected: text, actual: text, 'line?': whole }))
const problems = listOf(shape({ 'line?': whole, at: text, message: text }))
const outlook = oneOf('allow', 'ask', 'deny', 'depends')
const longest = 1_048_576

/** The rules in force. */
export const policyRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/policy',
    summary: 'The rules in force, how often each has decided, the text of their file, and why it cannot be used if that is so',
    reply: shape({
      'file?': text,
      version: { ...text, description: 'Of the text: to be sent back with another one' },
      rulesVersion: { ...text, description: 'Of the rules in force, as approvals name them' },
      text,
      rules: listOf(shape({ name: text, decision, 'line?': whole, hits: whole, 'lastAt?': moment })),
      fallback: shape({ decision: outlook, hits: whole, 'lastAt?': moment }),
      cases,
      set: anyObject,
      'trouble?': text,
    }),
    handle: async ({ control }) => ({ json: await control.policy.view() }),
  },
  {
    method: 'POST',
    path: '/policy/explain',
    summary: 'What the rules say about a call, and why, without making it',
    body: written,
    reply: shape({
      decision,
      'rule?': text,
      why: text,
      hidden: flag,
      considered: listOf(shape({ rule: text, decision, outcome: text, 'why?': text })),
      terms: listOf(anyObject),
    }),
    handle({ control, body }) {
      const tool = control.tools().find(({ name }) => name === body.tool)
      const known = tool && { server: tool.server, hints: tool.hints, claims: tool.claims }
      return { json: control.policy.explain({ ...known, ...body } as unknown as ClaimedCall) } // the schema has said that it is one
    },
  },
  {
    method: 'POST',
    path: '/policy/preview',
    summary: 'What another text of the file would change, for the tools that are here and the callers that are known',
    body: body({ text: { ...text, maxLength: longest } }),
    reply: shape({
      ok: flag,
      problems,
      cases,
      changes: listOf(shape({ tool: text, caller: text, before: outlook, after: outlook })),
      'more?': flag,
    }),
    handle: async ({ control, body }) => ({ json: await control.policy.preview(String(body.text)) }),
  },
  {
    method: 'PUT',
    path: '/policy',
    summary: 'Replaces the file of rules, as a whole and only if it can be used; the new rules are in force with the answer',
    body: body({ text: { ...text, maxLength: longest }, version: text }),
    answers: {
      400: 'The text cannot be used: `problems` says where and why',
      409: 'The file is not the one that the version is of any more, or the config names none',
    },
    reply: shape({ file: text, version: text, rulesVersion: text }),
    handle: saved,
  },
]

async function saved({ control, body, caller }: Ask) {
  const [given, version] = [String(body.text), String(body.version)]
  const { file } = await control.policy.view()
  if (file === undefined) throw new Refused(409, noFile)
  const about = { file, from: version, to: createHash('sha256').update(given).digest('hex') }
  const done = await recorded(control.log, { by: caller.id, act: 'save-policy', about }, async () => {
    const how = await control.policy.save(given, version)
    // What was not done is not recorded as done.
    if (!how.saved) throw refusalFor(how)
    return how
  })
  const { rulesVersion } = await control.policy.view()
  return { json: { file, version: done.version, rulesVersion } }
}

type NotSaved = Exclude<Awaited<ReturnType<Ask['control']['policy']['save']>>, { saved: true }>

function refusalFor(how: NotSaved): Refused {
  if (how.why === 'unusable')
    return new Refused(400, 'These rules cannot be used', { problems: how.problems.map((one) => ({ ...one })) })
  return new Refused(409, how.why === 'changed' ? 'The file was changed meanwhile; load it again' : noFile)
}

const noFile = 'The config names no file of rules: write toolwire.policy, and they can be edited here'
