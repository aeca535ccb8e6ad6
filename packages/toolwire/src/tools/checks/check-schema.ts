import type { StandardSchema } from '../standard-schema.js'
import { definitionError } from './definition-error.js'

/** Throws if the value is no usable schema; the message says how to make it one. */
export function checkSchema(value: unknown, what: string): asserts value is StandardSchema {
  const advice = adviceFor(value)
  if (advice !== undefined) throw definitionError(`${what} ${advice}`)
}

const zod3 =
  'is a zod 3 schema, which cannot be converted to JSON Schema. Use zod 4.2 or newer, or write the schema with jsonSchema({ … }).'

function adviceFor(value: unknown): string | undefined {
  if (!isHolder(value)) return 'is not a schema. Write a schema such as z.object({ … }) or jsonSchema({ … }).'
  if (isZod3(value)) return zod3
  if (isStandard(value)) return undefined
  const members = Object.entries(value)
  const [first] = members.filter(([, member]) => isStandard(member) || isZod3(member))
  if (first) {
    if (isZod3(first[1])) return `holds \`${first[0]}\`, which ${zod3}`
    return `is an object of schemas, not a schema. Write z.object({ ${members.map(([name]) => name).join(', ')} }).`
  }
  if (members.some(([name]) => jsonSchemaWords.has(name)))
    return 'is a plain JSON Schema. Wrap it: jsonSchema<TheTypeItDescribes>({ … }).'
  if (members.length === 0) return 'is an empty object, not a schema. Leave it out, or write jsonSchema({}) to accept any value.'
  return 'is neither a schema of a Standard Schema library (zod 4.2, arktype, valibot) nor made by jsonSchema({ … }).'
}

const jsonSchemaWords: ReadonlySet<string> = new Set(
  '$schema $id $ref $defs type properties required items enum const anyOf oneOf allOf additionalProperties'.split(' '),
)

/** Schemas of some libraries are functions. */
const isHolder = (value: unknown): value is Readonly<Record<string, unknown>> =>
  (typeof value === 'object' && value !== null) || typeof value === 'function'

const isStandard = (value: unknown): boolean => isHolder(value) && isHolder(value['~standard'])

/** The definitions of zod 3 have a type name; those of zod 4 have a type. */
const isZod3 = (value: unknown): boolean =>
  isHolder(value) && typeof value.safeParse === 'function' && isHolder(value._def) && typeof value._def.typeName === 'string'
