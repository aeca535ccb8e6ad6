const styles = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39], cyan: [36, 39] } as const

/** Colours, where they are wanted. */
export type Paint = { readonly [K in keyof typeof styles]: (text: string) => string }

export function painter(isOn: boolean): Paint {
  const paint = (style: keyof typeof styles) => (text: string) =>
    isOn ? `\u001b[${styles[style][0]}m${text}\u001b[${styles[style][1]}m` : text
  return {
    bold: paint('bold'),
    dim: paint('dim'),
    red: paint('red'),
    green: paint('green'),
    yellow: paint('yellow'),
    cyan: paint('cyan'),
  }
}
