import { createHash } from 'node:crypto'
import type { WrittenCall } from 'toolwire/rules'
import { HttpRefusal, type Route, type RouteRequest, route, withAuditRecord } from '../route.js'
import { shape } from '../shape.js'

const longest = 1_048_576

const written = {
  ...shape.body({
    ...shape.each(shape.text, 'tool', 'ownName?', 'server?'),
    'arguments?': shape.anyObject,
    'caller?': { type: ['string', 'object'] },
    'hints?': shape.anyObject,
    'tags?': shape.list(shape.text),
    'received?': shape.list(shape.text),
    'text?': shape.describe({ ...shape.text, maxLength: longest }, 'Rules to explain in place of those in force'),
  }),
  description: 'A call to try; the tool has the name that callers see, or with `server` its own name',
}

const decision = shape.oneOf('allow', 'ask', 'deny')
const cases = shape.list(
  shape.object({
    ...shape.each(shape.text, 'name', 'tool', 'expected', 'actual', 'why?'),
    ok: shape.boolean,
    'line?': shape.integer,
  }),
)
const missing = shape.list(
  shape.object({ where: shape.text, message: shape.text, holds: shape.list(shape.text), isPrecaution: shape.boolean }),
)
const problems = shape.list(shape.object({ 'line?': shape.integer, at: shape.text, message: shape.text }))
const outlook = shape.oneOf('allow', 'ask', 'deny', 'depends')

export const policyRoutes: readonly Route[] = [
  route('GET /policy', 'The rules in force, how often each has decided, the text of their file, and any error in it', {
    reply: shape.object({
      ...shape.each(shape.text, 'file?', 'text', 'trouble?'),
      version: shape.describe(shape.text, 'Version of the text; send it back with a new text'),
      rulesVersion: shape.describe(shape.text, 'Version of the rules in force, as approvals name it'),
      rules: shape.list(
        shape.object({ name: shape.text, decision, 'line?': shape.integer, hits: shape.integer, 'lastAt?': shape.time }),
      ),
      fallback: shape.object({ decision: outlook, hits: shape.integer, 'lastAt?': shape.time }),
      cases,
      set: shape.anyObject,
    }),
    handle: async ({ control }) => ({ json: await control.policy.view() }),
  }),
  route('POST /policy/explain', 'Explains what the rules decide for a call, without making it', {
    body: written,
    reply: shape.object({
      decision,
      'rule?': shape.text,
      why: shape.text,
      hidden: shape.boolean,
      considered: shape.list(shape.object({ rule: shape.text, decision, outcome: shape.text, 'why?': shape.text })),
      terms: shape.list(shape.anyObject),
    }),
    answers: { 400: 'The text is not valid; see `problems`' },
    async handle({ control, body: { text, ...call } }) {
      // The schema of the body guarantees a call.
      const explained = await control.policy.explain(
        call as unknown as WrittenCall,
        text === undefined ? undefined : String(text),
      )
      if ('problems' in explained) throw refusalFor({ saved: false, why: 'unusable', problems: explained.problems })
      return { json: explained }
    },
  }),
  route('POST /policy/preview', 'Previews what another text would change for current tools and known callers', {
    body: shape.body({ text: { ...shape.text, maxLength: longest } }),
    reply: shape.object({
      ok: shape.boolean,
      problems,
      rules: shape.integer,
      cases,
      missing: { ...missing, description: 'Names in the config and in these rules that match nothing' },
      changes: shape.list(shape.object({ tool: shape.text, caller: shape.text, before: outlook, after: outlook })),
      'more?': shape.boolean,
    }),
    handle: async ({ control, body }) => ({ json: await control.policy.preview(String(body.text)) }),
  }),
  route('PUT /policy', 'Replaces the whole file if the new text is valid; the new rules are in force with the answer', {
    body: shape.body({ text: { ...shape.text, maxLength: longest }, version: shape.text }),
    answers: {
      400: 'The text is not valid; see `problems`',
      409: 'The file has changed since this version, or there is no file to change',
    },
    reply: shape.object({ file: shape.text, version: shape.text, rulesVersion: shape.text }),
    handle: savePolicy,
  }),
]

async function savePolicy(ask: RouteRequest) {
  const { control, body } = ask
  const [given, version] = [String(body.text), String(body.version)]
  const { file } = await control.policy.view()
  if (file === undefined) throw new HttpRefusal(409, noFile)
  const about = { file, from: version, to: createHash('sha256').update(given).digest('hex') }
  const done = await withAuditRecord(ask, 'save-policy', about, async () => {
    const how = await control.policy.save(given, version)
    // A save that failed must not be recorded as done.
    if (!how.saved) throw refusalFor(how)
    return how
  })
  const { rulesVersion } = await control.policy.view()
  return { json: { file, version: done.version, rulesVersion } }
}

type NotSaved = Exclude<Awaited<ReturnType<RouteRequest['control']['policy']['save']>>, { saved: true }>

function refusalFor(how: NotSaved): HttpRefusal {
  if (how.why === 'unusable')
    return new HttpRefusal(400, 'These rules are not valid', { problems: how.problems.map((one) => ({ ...one })) })
  return new HttpRefusal(409, saveRefusals[how.why])
}

const noFile = 'The config names no policy file. Set toolwire.policy to edit rules here'
const saveRefusals = {
  changed: 'The file has changed. Load it again',
  'no file': noFile,
  pushed: 'These rules came with the config from the database. Change them there: toolwire config push',
}
