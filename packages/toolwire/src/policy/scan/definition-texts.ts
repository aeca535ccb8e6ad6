import type { Json, JsonObject } from '../../json.js'
import { pointerToken } from '../pin/drift.js'

/** Role of a text: the tool's name, a member's name, or other text. `unseen` marks the place where reading stopped. */
type TextRole = 'name' | 'member' | 'text' | 'unseen'
export type DefinitionText = { readonly role: TextRole; readonly text: string; readonly path: () => string }

type Place = { readonly parent: Place | undefined; readonly token: string; readonly value: Json | undefined }

const longestPath = 2_048

/** Yields the texts and member names of a definition, up to `most` characters. It does not recurse: untrusted input sets the depth. */
export function* definitionTexts(definition: JsonObject, most: number): Generator<DefinitionText> {
  const waiting: Place[] = [{ parent: undefined, token: '', value: definition }]
  let left = most
  for (let place = waiting.pop(); place; place = waiting.pop()) {
    const { parent, token, value } = place
    const here = place
    const path = () => pathTo(here)
    const isMember = parent !== undefined && !Array.isArray(parent.value)
    const text = typeof value === 'string' ? value : ''
    const size = 1 + (isMember ? token.length : 0) + text.length
    if (isMember) yield { role: 'member', text: token.slice(0, left), path }
    if (text !== '') yield { role: isName(place) ? 'name' : 'text', text: text.slice(0, left), path }
    left -= size
    if (left < 0 || !addInside(place, waiting, left)) return yield { role: 'unseen', text: '', path }
  }
}

const isName = ({ parent, token }: Place) => token === 'name' && parent !== undefined && parent.parent === undefined

/** Pushes the children on the stack, the first on top. Returns false if there are more than will be read. */
function addInside(place: Place, waiting: Place[], most: number): boolean {
  const { value } = place
  if (typeof value !== 'object' || value === null) return true
  const tokens = Array.isArray(value) ? [...value.keys()] : Object.keys(value)
  if (tokens.length > most) return false
  for (const token of tokens.reverse()) {
    waiting.push({ parent: place, token: String(token), value: (value as { [name: string]: Json | undefined })[token] })
  }
  return true
}

function pathTo(place: Place): string {
  const tokens: string[] = []
  for (let at: Place | undefined = place; at?.parent; at = at.parent) tokens.push(pointerToken(at.token))
  const path = tokens.reverse().reduce((text, token) => (text.length > longestPath ? text : `${text}/${token}`), '')
  return path.length > longestPath ? `${path.slice(0, longestPath)}…` : path
}
