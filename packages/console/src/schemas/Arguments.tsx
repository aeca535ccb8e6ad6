import '../styles/schemas.css'
import { useMemo } from 'preact/hooks'
import { entriesOf } from '../api/entries.js'
import { Badge } from '../parts/Badge.js'
import { FoldedText } from '../parts/text/FoldedText.js'
import { Json as Tree } from '../parts/text/Json.js'
import { Text } from '../parts/text/Text.js'
import { choicesOf } from './choices.js'
import { type Json, type JsonObject, ownMember } from './json.js'
import { mayHaveOthers, membersOf, schemaNotesOf } from './members.js'
import { resolveSchema } from './resolve-schema.js'
import { schemaDocumentOf } from './schema-document.js'

type Props = {
  readonly of: JsonObject
  /** The schema of the arguments, for their titles and labels. */
  readonly schema: JsonObject
}

/** The arguments in full, by name. */
export function Arguments({ of, schema }: Props) {
  const names = useMemo(() => notesOf(schema, of), [schema, of])
  const entries = entriesOf(of)
  if (entries.length === 0) return <p class="muted">Without arguments.</p>
  return (
    <dl class="stack near">
      {entries.map(([name, value]) => (
        <Argument key={name} name={name} value={value} told={names.get(name)} />
      ))}
    </dl>
  )
}

type ArgumentNotes = { readonly title?: string; readonly label?: string; readonly unknown: boolean }

/** The titles and labels of the arguments, from the schema. */
function notesOf(schema: JsonObject, value: JsonObject): ReadonlyMap<string, ArgumentNotes> {
  const document = schemaDocumentOf(schema)
  const shape = resolveSchema(document, schema, value)
  const isOpen = mayHaveOthers(shape)
  return new Map(
    membersOf(shape, value).map(({ name, schema: own, extra }) => {
      const given = ownMember(value, name)
      const told = resolveSchema(document, own, given)
      const chosen = choicesOf(told)?.find((choice) => JSON.stringify(choice.value) === JSON.stringify(given))
      const label = chosen && chosen.label !== given ? { label: chosen.label } : {}
      return [name, { ...schemaNotesOf(told), ...label, unknown: extra && !isOpen }]
    }),
  )
}

const Argument = ({ name, value, told }: { name: string; value: Json; told: ArgumentNotes | undefined }) => (
  <div class="argument">
    <dt class="muted">
      <Text of={name} mono />
      {told?.title !== name && <Text before=" " of={told?.title} class="muted" />}
      {told?.unknown && (
        <Badge tone="warning" title="The tool's schema does not describe this argument">
          not in its schema
        </Badge>
      )}
    </dt>
    <dd>
      <Value of={value} />
      <Text before=" " of={told?.label} class="muted" />
    </dd>
  </div>
)

function Value({ of }: { of: Json }) {
  if (typeof of === 'string') return of === '' ? <span class="muted">(empty text)</span> : <LongOrShort text={of} />
  if (of !== null && typeof of === 'object') return <Tree of={of} open={3} />
  return <Text of={String(of)} mono class={`json-${of === null ? 'null' : typeof of}`} />
}

const shortText = 200

const LongOrShort = ({ text }: { text: string }) =>
  text.length <= shortText && !text.includes('\n') ? <Text of={text} /> : <FoldedText text={text} />
