import { createHash } from 'node:crypto'
import type { WrittenCall } from 'toolwire/rules'
import { runRecorded } from '../../store/audit/record-action.js'
import { HttpRefusal, type Route, type RouteRequest } from '../route.js'
import {
  anyObjectSchema,
  bodySchema,
  booleanSchema,
  enumSchema,
  integerSchema,
  listSchema,
  objectSchema,
  textSchema,
  timestampSchema,
} from '../schemas/schemas.js'

const written = {
  ...bodySchema({
    tool: textSchema,
    'arguments?': anyObjectSchema,
    'caller?': { type: ['string', 'object'] },
    'ownName?': textSchema,
    'server?': textSchema,
    'hints?': anyObjectSchema,
    'tags?': listSchema(textSchema),
  }),
  description: 'A call to try; the tool has the name that callers see, or with `server` its own name',
}

const decision = enumSchema('allow', 'ask', 'deny')
const cases = listSchema(
  objectSchema({
    name: textSchema,
    tool: textSchema,
    ok: booleanSchema,
    expected: textSchema,
    actual: textSchema,
    'why?': textSchema,
    'line?': integerSchema,
  }),
)
const missing = listSchema(
  objectSchema({ where: textSchema, message: textSchema, holds: listSchema(textSchema), isPrecaution: booleanSchema }),
)
const problems = listSchema(objectSchema({ 'line?': integerSchema, at: textSchema, message: textSchema }))
const outlook = enumSchema('allow', 'ask', 'deny', 'depends')
const longest = 1_048_576

/** The rules in force. */
export const policyRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/policy',
    summary: 'The rules in force, how often each has decided, the text of their file, and any error in it',
    reply: objectSchema({
      'file?': textSchema,
      version: { ...textSchema, description: 'Version of the text; send it back with a new text' },
      rulesVersion: { ...textSchema, description: 'Version of the rules in force, as approvals name it' },
      text: textSchema,
      rules: listSchema(
        objectSchema({ name: textSchema, decision, 'line?': integerSchema, hits: integerSchema, 'lastAt?': timestampSchema }),
      ),
      fallback: objectSchema({ decision: outlook, hits: integerSchema, 'lastAt?': timestampSchema }),
      cases,
      set: anyObjectSchema,
      'trouble?': textSchema,
    }),
    handle: async ({ control }) => ({ json: await control.policy.view() }),
  },
  {
    method: 'POST',
    path: '/policy/explain',
    summary: 'Explains what the rules decide for a call, without making it',
    body: written,
    reply: objectSchema({
      decision,
      'rule?': textSchema,
      why: textSchema,
      hidden: booleanSchema,
      considered: listSchema(objectSchema({ rule: textSchema, decision, outcome: textSchema, 'why?': textSchema })),
      terms: listSchema(anyObjectSchema),
    }),
    handle({ control, body }) {
      return { json: control.policy.explain(body as unknown as WrittenCall) } // the schema has said that it is one
    },
  },
  {
    method: 'POST',
    path: '/policy/preview',
    summary: 'Previews what another text would change for current tools and known callers',
    body: bodySchema({ text: { ...textSchema, maxLength: longest } }),
    reply: objectSchema({
      ok: booleanSchema,
      problems,
      rules: integerSchema,
      cases,
      missing: { ...missing, description: 'Names in the config and in these rules that match nothing' },
      changes: listSchema(objectSchema({ tool: textSchema, caller: textSchema, before: outlook, after: outlook })),
      'more?': booleanSchema,
    }),
    handle: async ({ control, body }) => ({ json: await control.policy.preview(String(body.text)) }),
  },
  {
    method: 'PUT',
    path: '/policy',
    summary: 'Replaces the whole file if the new text is valid; the new rules are in force with the answer',
    body: bodySchema({ text: { ...textSchema, maxLength: longest }, version: textSchema }),
    answers: {
      400: 'The text is not valid; see `problems`',
      409: 'The file has changed since this version, or the config names no file',
    },
    reply: objectSchema({ file: textSchema, version: textSchema, rulesVersion: textSchema }),
    handle: saved,
  },
]

async function saved({ control, body, caller }: RouteRequest) {
  const [given, version] = [String(body.text), String(body.version)]
  const { file } = await control.policy.view()
  if (file === undefined) throw new HttpRefusal(409, noFile)
  const about = { file, from: version, to: createHash('sha256').update(given).digest('hex') }
  const done = await runRecorded(control.log, { by: caller.id, act: 'save-policy', about }, async () => {
    const how = await control.policy.save(given, version)
    // What was not done is not recorded as done.
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
  return new HttpRefusal(409, how.why === 'changed' ? 'The file has changed. Load it again' : noFile)
}

const noFile = 'The config names no policy file. Set toolwire.policy to edit rules here'
