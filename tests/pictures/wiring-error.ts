/** A fault of the wiring, with what its sentences say. */
import type { Fault } from 'alcove'
import { arrow, box, chip, chipWidth, MARGIN, type Picture, text, WIDTH, wrap } from './svg.js'

const LINE = 20

export function wiringErrorPicture({ message, cure, path, code }: Fault): Picture {
  const problem = message
    .slice(0, -cure.length)
    .trim()
    .split(/(?<=\.) /)
  const parts = [
    { sentence: problem[0]!, className: 'alarm', note: 'place: the class, its context, and what it asks for' },
    { sentence: problem[1]!, className: 'text', note: 'where that is declared' },
    { sentence: cure, className: 'accent', note: 'cure: what to write instead' },
  ]
  const [, asked, provided] = /asks for (\w+), .* provided in ([^.]+)\./.exec(message)!
  const top = 84
  const elements: string[] = []
  let y = top + 56
  for (const { sentence, className, note } of parts) {
    const lines = wrap(sentence, 84)
    for (const [index, content] of lines.entries()) elements.push(text(MARGIN + 20, y + index * LINE, `mono ${className}`, content))
    y += lines.length * LINE
    elements.push(text(MARGIN + 20, y - 1, 'soft', `↑ ${note}`))
    y += LINE + 14
  }
  const card = y - top - 12
  const rooms = y + 12
  const consumer = path.at(-1)!
  const sibling = provided!.split(' > ').at(-1)!
  const inner = { x: MARGIN + 380, y: rooms + 30, width: 252, height: 76 }
  return {
    title: 'A fault says what is wrong, where, and what to write',
    description: `${message} The picture beside it: ${consumer} is in ${path[0]}. ${asked} is in ${sibling}, a room inside of ${path[0]}, into which ${consumer} does not see.`,
    height: rooms + 130 + MARGIN,
    elements: [
      text(MARGIN, 62, 'soft', 'Most faults are reported together, before anything is constructed.'),
      box(MARGIN, top, WIDTH - 2 * MARGIN, card, 'chip'),
      text(MARGIN + 20, top + 26, 'mono soft', `The wiring of ${path[0]} is wrong:`),
      text(WIDTH - MARGIN - 20, top + 26, 'mono soft', code, 'end'),
      ...elements,
      box(MARGIN, rooms, WIDTH - 2 * MARGIN, 124, 'room'),
      text(MARGIN + 16, rooms + 23, 'name', path[0]!),
      chip(MARGIN + 20, rooms + 56, consumer, 'plain'),
      box(inner.x, inner.y, inner.width, inner.height, 'wrong'),
      text(inner.x + 16, inner.y + 23, 'name', sibling),
      chip(inner.x + 16, inner.y + 36, asked!, 'plain'),
      arrow(
        [
          [MARGIN + 20 + chipWidth(consumer) + 4, rooms + 68],
          [inner.x - 3, rooms + 68],
        ],
        'alarm',
      ),
      text(MARGIN + 20 + chipWidth(consumer) + 24, rooms + 58, 'alarm', `asks for ${asked}`),
      text(inner.x - 14, rooms + 90, 'soft', 'it does not see into the room of a child', 'end'),
    ],
  }
}
