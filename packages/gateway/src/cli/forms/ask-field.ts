import type { Json, JsonObject } from 'toolwire'
import { compile } from 'toolwire/schema'
import { isObject } from '../../json/is-object.js'
import { choicesOf, readValue, typesOf } from '../arguments/read-value.js'
import { objectIn, stringIn } from '../json-members.js'
import type { PromptChoice, Prompts } from './prompts.js'

type FormField = { readonly name: string; readonly schema: JsonObject; readonly required: boolean }

/** Asks for one value with a prompt that fits its schema. Undefined if the value is optional and was left out. */
export async function askField(field: FormField, prompts: Prompts, prefilled?: Json): Promise<Json | undefined> {
  const { schema, required } = field
  const message = labelOf(field)
  const choices = labelled(schema)
  if (choices) return leftOut(await prompts.choose(message, required ? choices : [...choices, omitChoice], prefilled))
  const several = labelled(objectIn(schema, 'items'))
  if (several && typesOf(schema).includes('array'))
    return prompts.chooseSeveral(message, several, Array.isArray(prefilled) ? prefilled : [])
  if (typesOf(schema).join() === 'boolean')
    return required
      ? prompts.yesOrNo(message, prefilled === true)
      : leftOut(await prompts.choose(message, [...yesOrNo, omitChoice], prefilled))
  return askText(field, prompts, prefilled)
}

const omittedKey = 'left out'
const omitChoice: PromptChoice = { value: { [omittedKey]: true }, label: '(leave out)' }
const yesOrNo: readonly PromptChoice[] = [
  { value: true, label: 'Yes' },
  { value: false, label: 'No' },
]
const leftOut = (value: Json): Json | undefined => (value === omitChoice.value ? undefined : value)

async function askText(field: FormField, prompts: Prompts, prefilled: Json | undefined): Promise<Json | undefined> {
  const { schema, required } = field
  const text = await prompts.type({
    message: labelOf(field),
    ...(prefilled !== undefined && { initial: typeof prefilled === 'string' ? prefilled : JSON.stringify(prefilled) }),
    ...(!required && { hint: 'press Enter to skip' }),
    check: (typed) => (typed === '' && !required ? undefined : fieldError(typed, schema)),
  })
  if (text === '' && !required) return undefined
  const found = readValue(text, schema)
  return 'value' in found ? found.value : text
}

/** The reason why a text is invalid, or undefined. */
function fieldError(text: string, schema: JsonObject): string | undefined {
  const found = readValue(text, schema)
  if ('wrong' in found) return `The value ${found.wrong}`
  if (hasReference(schema)) return undefined // only the whole schema resolves references; the call checks the value
  const [issue] = compile(schema).check(found.value)
  return issue && `The value is not valid: ${issue.message}`
}

const hasReference = (schema: JsonObject): boolean => JSON.stringify(schema).includes('"$ref"')

function labelOf({ name, schema, required }: FormField): string {
  const title = stringIn(schema, 'title')
  const about = stringIn(schema, 'description')
  const type = choicesOf(schema) ? undefined : typesOf(schema).join(' or ')
  const marks = [type, required ? undefined : 'optional'].filter(Boolean).join(', ')
  const head = title === undefined || title === name ? name : `${title} (${name})`
  return `${head}${marks === '' ? '' : ` [${marks}]`}${about === undefined ? '' : `\n${about}`}`
}

/** The allowed values with their titles, if the schema lists them. */
function labelled(schema: JsonObject): PromptChoice[] | undefined {
  const choices = choicesOf(schema)
  if (!choices) return undefined
  const { enumNames: names, oneOf, anyOf } = schema
  const branches = [oneOf, anyOf].filter(Array.isArray).flat().filter(isObject)
  return choices.map((value, at) => {
    const title = Array.isArray(names) ? names[at] : branches.find((branch) => branch.const === value)?.title
    const shown = typeof value === 'string' ? value : JSON.stringify(value)
    return { value, label: typeof title === 'string' && title !== shown ? `${title} (${shown})` : shown }
  })
}
