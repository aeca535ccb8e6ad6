import { useEffect, useState } from 'preact/hooks'
import { sizeText } from '../parts/count-text.js'
import { FoldedText } from '../parts/text/FoldedText.js'
import { markedText, Text } from '../parts/text/Text.js'
import { bytesOf, decodedSize, isAudio, isImage, isSvg, mediaTypeOf, textOf } from './media.js'

type Props = { readonly data: string; readonly type: string; readonly name?: string }

/** An object URL for base64 data, revoked when the component goes. */
function useAddress(data: string, type: string): string | 'broken' | undefined {
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    const bytes = bytesOf(data)
    if (!bytes) return setAddress('broken')
    const made = URL.createObjectURL(new Blob([bytes], { type: mediaTypeOf(type) }))
    setAddress(made)
    return () => URL.revokeObjectURL(made)
  }, [data, type])
  return address
}

export function ImageContent({ data, type, name }: Props) {
  const address = useAddress(data, type)
  const [size, setSize] = useState('')
  const [isBroken, setBroken] = useState(false)
  if (isSvg(type)) return <Drawing data={data} type={type} />
  if (address === undefined) return null
  if (!isImage(type) || address === 'broken' || isBroken) return <UnsupportedContent data={data} type={type} what="picture" />
  return (
    <figure class="picture">
      <img
        src={address}
        alt={name ? `Picture: ${markedText(name)}` : 'Picture from the tool'}
        onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => setSize(`${naturalWidth} × ${naturalHeight}, `)}
        onError={() => setBroken(true)}
      />
      <figcaption class="muted little">
        <Text of={type} /> · {size}
        {sizeText(decodedSize(data))}
      </figcaption>
    </figure>
  )
}

/** An SVG can contain scripts, so its source is shown. */
function Drawing({ data, type }: Props) {
  const text = textOf(data)
  if (text === undefined) return <UnsupportedContent data={data} type={type} what="picture" />
  return (
    <figure class="picture">
      <FoldedText text={text} />
      <figcaption class="muted little">This drawing (SVG) is shown as text, because drawings can run code.</figcaption>
    </figure>
  )
}

/** Audio from the result itself; never plays automatically. */
export function AudioContent({ data, type, name }: Props) {
  const address = useAddress(data, type)
  if (address === undefined) return null
  if (!isAudio(type) || address === 'broken') return <UnsupportedContent data={data} type={type} what="sound" />
  return (
    <figure class="sound">
      {/* biome-ignore lint/a11y/useMediaCaption: a tool sends none */}
      <audio src={address} controls preload="metadata" aria-label={name ? `Sound: ${markedText(name)}` : 'Sound from the tool'} />
      <figcaption class="muted little">
        <Text of={type} /> · {sizeText(decodedSize(data))}
      </figcaption>
    </figure>
  )
}

/** Describes content that cannot be shown. */
export const UnsupportedContent = ({ data, type, what }: Props & { what: string }) => (
  <p class="not-shown muted little">
    This {what} cannot be shown here: <Text of={type || 'of no type'} mono />, {sizeText(decodedSize(data))}.
  </p>
)
