/** How large a picture is, and how often a decoder paints it: once for each frame of an animation, or pass over a JPEG. */
export type PictureMeasures = { readonly width: number; readonly height: number; readonly paints: number }

export type PictureType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'

/** One kind of picture. Reading past the end throws the RangeError of DataView. */
export interface PictureFormat {
  readonly mimeType: PictureType
  begins(view: DataView): boolean
  /** What the headers say; undefined where they make no sense. */
  measure(view: DataView): PictureMeasures | undefined
}
