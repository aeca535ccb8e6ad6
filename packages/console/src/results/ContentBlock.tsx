import type { ComponentChildren } from 'preact'
import { sizeText } from '../parts/count-text.js'
import { JsonText } from '../parts/text/Json.js'
import { Paragraph, Text } from '../parts/text/Text.js'
import { isObject, type Json, type JsonObject, textIn, textsIn } from '../schemas/json.js'
import { Link } from './Link.js'
import { AudioContent, ImageContent, UnsupportedContent } from './Media.js'
import { isAudio, isImage, isSvg } from './media.js'
import { TextBlock } from './TextBlock.js'

/** One content block, shown by its type; an unknown type as JSON. */
export function ContentBlock({ of }: { of: Json }) {
  if (!isObject(of)) return <JsonText of={of} />
  return (
    <div class={`block stack close ${typeof of.type === 'string' && /^[a-z_]+$/.test(of.type) ? of.type : 'other'}`}>
      <AudienceNote of={of.annotations} />
      {contentOf(of)}
    </div>
  )
}

function contentOf(block: JsonObject): ComponentChildren {
  const { type, text, data, mimeType, resource } = block
  if (type === 'text' && typeof text === 'string') return <TextBlock text={text} />
  if (type === 'image' && typeof data === 'string') return <ImageContent data={data} type={textIn(mimeType)} />
  if (type === 'audio' && typeof data === 'string') return <AudioContent data={data} type={textIn(mimeType)} />
  if (type === 'resource_link') return <ResourceLink of={block} />
  if (type === 'resource' && isObject(resource)) return <EmbeddedResource of={resource} />
  return <JsonText of={block} />
}

/** The audience and priority of a block, if it has annotations. */
function AudienceNote({ of }: { of: Json | undefined }) {
  if (!isObject(of)) return null
  const audience = textsIn(of.audience).join(' and ')
  if (audience === '' && of.priority === undefined) return null
  return (
    <p class="meant-for muted">
      <Text before="For " of={audience || undefined} />
      {typeof of.priority === 'number' && ` · importance ${of.priority}`}
    </p>
  )
}

/** A link to a resource that is not part of the result. */
function ResourceLink({ of: { uri, name, title, description, mimeType, size } }: { of: JsonObject }) {
  const about = [textIn(mimeType), typeof size === 'number' ? sizeText(size) : ''].filter(Boolean).join(' · ')
  return (
    <div class="resource-card stack near">
      <p>
        <span class="muted">Link: </span>
        <strong>
          <Text of={textIn(title) || textIn(name) || 'without a name'} />
        </strong>{' '}
        <span class="muted little">
          <Text of={about} />
        </span>
      </p>
      <Paragraph of={textIn(description)} />
      <Link of={textIn(uri)} />
    </div>
  )
}

/** A resource that is part of the result. */
const EmbeddedResource = ({ of }: { of: JsonObject }) => (
  <div class="resource-card stack near">
    <p>
      <span class="muted">Embedded resource from </span>
      {textIn(of.mimeType) && (
        <span class="muted little">
          (<Text of={textIn(of.mimeType)} />)
        </span>
      )}
    </p>
    <Link of={textIn(of.uri)} />
    <Contents of={of} />
  </div>
)

function Contents({ of: { text, blob, mimeType, uri } }: { of: JsonObject }) {
  if (typeof text === 'string') return <TextBlock text={text} />
  if (typeof blob !== 'string') return <p class="muted">The resource is empty.</p>
  const content = { data: blob, type: textIn(mimeType), name: textIn(uri) }
  if (isImage(content.type) || isSvg(content.type)) return <ImageContent {...content} />
  return isAudio(content.type) ? <AudioContent {...content} /> : <UnsupportedContent {...content} what="content" />
}
