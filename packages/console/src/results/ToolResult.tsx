import '../styles/results.css'
import { useState } from 'preact/hooks'
import { Button } from '../parts/Button.js'
import { Icon } from '../parts/Icon.js'
import { JsonText } from '../parts/text/Json.js'
import { isObject, type Json } from '../schemas/json.js'
import { sameJson } from '../schemas/read-json.js'
import { ContentBlock } from './ContentBlock.js'
import { GuardFindings } from './GuardFindings.js'
import { StructuredContent } from './StructuredContent.js'
import { jsonIn } from './TextBlock.js'

const blocksAtFirst = 30

/** The result of a tool, each part shown by its type. */
export function ToolResult({ of }: { of: Json }) {
  const [most, setMost] = useState(blocksAtFirst)
  if (!isObject(of)) return <JsonText of={of} />
  const { structuredContent: structured, isError, content } = of
  const blocks = blocksOf(content, structured)
  return (
    <div class={isError === true ? 'tool-result stack far failed' : 'tool-result stack far'}>
      {isError === true && (
        <p class="notice danger cluster">
          <Icon name="warning" /> <strong>The tool reported an error.</strong> The caller sees this result.
        </p>
      )}
      <GuardFindings of={of} />
      {blocks.slice(0, most).map((block, at) => (
        <ContentBlock key={at} of={block} />
      ))}
      {blocks.length > most && (
        <Button onClick={() => setMost(most + 10 * blocksAtFirst)}>Show more: {blocks.length - most} parts left</Button>
      )}
      {structured !== undefined && <StructuredContent of={structured} />}
      {blocks.length === 0 && structured === undefined && <p class="muted">The result is empty.</p>}
      <Meta of={of._meta} />
    </div>
  )
}

/** Content without a text block that only repeats the structured content for older clients. */
function blocksOf(content: Json | undefined, structured: Json | undefined): readonly Json[] {
  const blocks = Array.isArray(content) ? content : []
  const repeats = (block: Json) =>
    structured !== undefined && isObject(block) && typeof block.text === 'string' && sameJson(jsonIn(block.text), structured)
  return blocks.filter((block) => !repeats(block))
}

function Meta({ of }: { of: Json | undefined }) {
  if (!isObject(of) || Object.keys(of).length === 0) return null
  return (
    <details class="result-meta muted little">
      <summary>Metadata (_meta)</summary>
      <JsonText of={of} />
    </details>
  )
}
