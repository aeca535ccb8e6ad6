import { Text } from '../parts/text/Text.js'
import type { Json, JsonObject } from '../schemas/json.js'
import { Link } from './Link.js'
import { AudioContent, ImageContent, UnsupportedContent } from './Media.js'
import { isAudio, isImage, isSvg } from './media.js'
import { TextBlock } from './TextBlock.js'

const textIn = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

/** What stood behind an address when the tool looked, sent along whole. */
export const EmbeddedResource = ({ of }: { of: JsonObject }) => (
  <div class="resource-card">
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
  const type = textIn(mimeType)
  if (typeof text === 'string') return <TextBlock text={text} />
  if (typeof blob !== 'string') return <p class="muted">It is empty.</p>
  if (isImage(type) || isSvg(type)) return <ImageContent data={blob} type={type} name={textIn(uri)} />
  if (isAudio(type)) return <AudioContent data={blob} type={type} name={textIn(uri)} />
  return <UnsupportedContent data={blob} type={type} what="content" />
}
