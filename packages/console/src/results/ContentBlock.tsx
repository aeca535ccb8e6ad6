import type { ComponentChildren } from 'preact'
import { JsonText } from '../parts/text/Json.js'
import { Text } from '../parts/text/Text.js'
import { isObject, type Json, type JsonObject } from '../schemas/json.js'
import { EmbeddedResource } from './EmbeddedResource.js'
import { AudioContent, ImageContent } from './Media.js'
import { ResourceLink } from './ResourceLink.js'
import { TextBlock } from './TextBlock.js'

/** One block of what a tool said, shown as what it is; of a kind that is not known, as JSON. */
export function ContentBlock({ of }: { of: Json }) {
  if (!isObject(of)) return <JsonText of={of} />
  return (
    <div class={`block ${typeof of.type === 'string' && /^[a-z_]+$/.test(of.type) ? of.type : 'other'}`}>
      <AudienceNote of={of.annotations} />
      {contentOf(of)}
    </div>
  )
}

const textIn = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

function contentOf(block: JsonObject): ComponentChildren {
  const { type, text, data, mimeType, resource } = block
  if (type === 'text' && typeof text === 'string') return <TextBlock text={text} />
  if (type === 'image' && typeof data === 'string') return <ImageContent data={data} type={textIn(mimeType)} />
  if (type === 'audio' && typeof data === 'string') return <AudioContent data={data} type={textIn(mimeType)} />
  if (type === 'resource_link') return <ResourceLink of={block} />
  if (type === 'resource' && isObject(resource)) return <EmbeddedResource of={resource} />
  return <JsonText of={block} />
}

/** Whom a block is meant for, where its author says so. */
function AudienceNote({ of }: { of: Json | undefined }) {
  if (!isObject(of)) return null
  const audience = Array.isArray(of.audience) ? of.audience.filter((one) => typeof one === 'string') : []
  if (audience.length === 0 && of.priority === undefined) return null
  return (
    <p class="meant-for">
      {audience.length > 0 && (
        <>
          For <Text of={audience.join(' and ')} />
        </>
      )}
      {typeof of.priority === 'number' && ` · importance ${of.priority}`}
    </p>
  )
}
