import '../styles/schemas.css'
import { useMemo } from 'preact/hooks'
import { Badge } from '../parts/Badge.js'
import { Paragraph, Text } from '../parts/text/Text.js'
import { valueText } from './choices.js'
import type { Json } from './json.js'
import { type OutlineNode as OutlineOf, type OutlinePart, outlineOf } from './outline.js'
import { schemaDocumentOf } from './schema-document.js'

/** A schema as readable text: the type, limits and description of each value. */
export function SchemaOutline({ of, nothing }: { of: Json; nothing: string }) {
  const outline = useMemo(() => outlineOf(schemaDocumentOf(of), of), [of])
  if (outline.parts.length === 0 && outline.kind === 'Group') return <p class="muted">{nothing}</p>
  if (outline.parts.length === 0) return <About of={outline} />
  return <Parts of={outline.parts} />
}

const Parts = ({ of }: { of: readonly OutlinePart[] }) => (
  <ul class="outline lined">
    {of.map((part, at) => (
      <Part key={at} of={part} />
    ))}
  </ul>
)

function Part({ of: { role, name, required, of } }: { of: OutlinePart }) {
  const { title, ...rest } = of
  const [item] = of.parts
  // A list of plain values fits on one line.
  const each = of.parts.length === 1 && item?.role === 'items' && item.of.parts.length === 0 ? item.of : undefined
  return (
    <li class="outline-part stack">
      <p class="outline-head cluster baseline">
        <Text of={name} mono={role === 'member'} class={role === 'member' ? 'outline-name' : 'outline-role'} />
        {title && title !== name && <Text of={title} />}
        {required && <Badge tone="info">required</Badge>}
        {of.deprecated && <Badge tone="warning">no longer used</Badge>}
        {of.kind !== name && <Kind of={of} />}
        {each && (
          <>
            <span class="outline-kind muted little">· each:</span> <Kind of={each} />
          </>
        )}
      </p>
      <About of={rest} />
      {each && <About of={each} />}
      {of.omitted && <p class="muted little">{omittedWords[of.omitted]}</p>}
      {of.parts.length > 0 && !each && (
        <details open={of.parts.length <= 12}>
          <summary class="little">{insideWords(of)}</summary>
          <Parts of={of.parts} />
        </details>
      )}
    </li>
  )
}

const omittedWords = { recursive: 'As described above.', limit: 'Not shown further: see the raw schema.' } as const

function insideWords({ parts }: OutlineOf): string {
  if (parts[0]?.role === 'kind') return `One of these ${parts.length}`
  return parts[0]?.role === 'items' ? 'Items' : `${parts.length} inside`
}

const Kind = ({ of: { kind, limits } }: { of: OutlineOf }) => (
  <span class="outline-kind muted little">
    {kind}
    <Text before=", " of={limits.join(', ') || undefined} />
  </span>
)

const mostChoices = 40
const longestExample = 200

function About({ of: { title, description, choices, default: usual, examples } }: { of: OutlineOf }) {
  return (
    <>
      <Paragraph of={title} />
      <Paragraph of={description} class="outline-about" />
      {choices && (
        <ul class="outline-choices cluster little" aria-label="May be">
          {choices.slice(0, mostChoices).map(({ value, label }, at) => (
            <li class="outline-choice" key={at}>
              <Text of={valueText(value)} mono />
              {label !== valueText(value) && <Text before=" " of={label} />}
            </li>
          ))}
          {choices.length > mostChoices && <li>and {choices.length - mostChoices} more</li>}
        </ul>
      )}
      {usual !== undefined && <LabelledValue words="Default:" of={usual} />}
      {examples && examples.length > 0 && <LabelledValue words="For example:" of={examples[0] ?? null} />}
    </>
  )
}

const LabelledValue = ({ words, of }: { words: string; of: Json }) => (
  <Paragraph class="little muted" before={`${words} `} of={valueText(of).slice(0, longestExample)} mono />
)
