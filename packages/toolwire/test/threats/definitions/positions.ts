// A definition with text in every place, and the list of these places.
import { isObject, type Json, type JsonObject } from '../../../src/json.js'

export const whole = {
  name: 'send_message',
  title: 'Send',
  description: 'Sends a message.',
  icons: [{ src: 'https://mail.example/i.png', mimeType: 'image/png', sizes: ['48x48'], theme: 'dark' }],
  inputSchema: {
    type: 'object',
    title: 'Message',
    $comment: 'Kept short.',
    properties: {
      to: { type: 'string', description: 'Whom to.' },
      subject: {
        ...{ type: 'string', title: 'Subject', default: 'Hello', examples: ['Greetings'] },
        ...{ pattern: '^[A-Z]', format: 'x-line', enum: ['Hello', 'Goodbye'] },
      },
      kind: { const: 'plain', 'x-label': 'Kind' },
    },
    required: ['to'],
    $defs: { part: { description: 'A part.' } },
  },
  outputSchema: {
    type: 'object',
    description: 'What was sent.',
    properties: { id: { type: 'string', description: 'Its number.' } },
  },
  annotations: { title: 'Send', readOnlyHint: false, audience: 'people' },
  execution: { taskSupport: 'optional' },
  _meta: { 'com.example/note': 'Made by hand', 'com.example/more': [{ deep: ['words'] }] },
  'x-unknown': { remark: 'Anything' },
} satisfies JsonObject

type Step = {
  readonly path: string
  readonly value: Json | undefined
  readonly parent: JsonObject | Json[]
  readonly token: string
}

function* steps(parent: JsonObject | Json[], base = ''): Generator<Step> {
  for (const [token, value] of Object.entries(parent)) {
    const path = `${base}/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`
    yield { path, value, parent, token }
    if (Array.isArray(value) || isObject(value)) yield* steps(value, path)
  }
}

// Another type would make the definition invalid, and another name would be another tool.
const fixed = /^\/(name|inputSchema\/type)$|\/type$/

/** Places with a text. */
export const texts = [...steps(whole)]
  .filter(({ path, value }) => typeof value === 'string' && !fixed.test(path))
  .map(({ path }) => path)

/** Places with a member whose name the server has chosen. */
export const members = [...steps(whole)]
  .map(({ path }) => path)
  .filter((path) =>
    /\/properties\/[^/]+$|\/\$defs\/[^/]+$|^\/_meta\/[^/]+$|\/deep$|^\/x-unknown(\/[^/]+)?$|\/x-label$/.test(path),
  )

export type Change = (value: Json | undefined) => Json

/** The definition with another value in this place. */
export function withValueAt(path: string, change: Change): JsonObject {
  const definition = structuredClone<JsonObject>(whole)
  const { parent, token, value } = stepTo(definition, path)
  Object.assign(parent, { [token]: change(value) })
  return definition
}

/** The definition with another member name in this place. */
export function withNameAt(path: string, change: (name: string) => string): JsonObject {
  const definition = structuredClone<JsonObject>(whole)
  const { parent, token, value } = stepTo(definition, path)
  Object.assign(parent, { [change(token)]: value })
  Reflect.deleteProperty(parent, token)
  return definition
}

function stepTo(definition: JsonObject, path: string): Step {
  const step = [...steps(definition)].find((one) => one.path === path)
  if (!step) throw new Error(`Nothing is at ${path}`)
  return step
}
