/** The way of a request through its hooks, as a server has recorded it. */
import { arrow, box, line, MARGIN, type Picture, text, WIDTH } from './svg.js'

interface Recording {
  readonly completed: readonly string[]
  readonly failed: readonly string[]
  readonly left: readonly string[]
}

const notes: Readonly<Record<string, string>> = {
  onRequest: 'before anything is read: who is it?',
  preParsing: 'may replace the stream of the body',
  body: 'limit, parser of the content type',
  preValidation: 'may change the parsed body',
  validation: 'of each part, by its schema',
  preHandler: 'guards, data for the handler',
  handler: 'inside of the around hooks',
  preSerialization: 'may replace the payload',
  serialization: 'by the response schema of the status',
  onSend: 'may replace the text',
  onResponse: 'the response was sent',
}

const TOP = 100
const STEP = 44
const HEIGHT = 30
const STAGE = 152
/** The column of the error path. */
const SIDE = 520
const SIDE_WIDTH = WIDTH - MARGIN - SIDE

const isHook = (stage: string): boolean => /^(?:on|pre)[A-Z]/.test(stage)

function stageBox(x: number, y: number, width: number, stage: string, kind: string): string {
  return box(x, y, width, HEIGHT, kind, 7) + text(x + width / 2, y + 19.5, 'mono text', stage, 'middle')
}

function kindOf(stage: string): string {
  if (stage === 'handler') return 'lit-core'
  return isHook(stage) ? 'lit' : 'room'
}

export function requestPicture({ completed, failed, left }: Recording): Picture {
  const y = (index: number): number => TOP + index * STEP
  const errorSteps = failed.filter((stage) => !completed.includes(stage))
  const lastFailing = failed.indexOf(errorSteps[0]!) - 1
  const rejoins = completed.indexOf(failed[failed.indexOf(errorSteps.at(-1)!) + 1]!)
  const instead = left.filter((stage) => !completed.includes(stage))
  const replaced = completed.findIndex((stage) => !left.includes(stage))
  const middle = SIDE + SIDE_WIDTH / 2
  const wall = SIDE - 22
  const main = completed.flatMap((stage, index) => [
    stageBox(MARGIN, y(index), STAGE, stage, kindOf(stage)),
    text(MARGIN + STAGE + 16, y(index) + 19.5, 'soft', notes[stage]!),
    ...(index === 0
      ? []
      : [
          arrow([
            [MARGIN + STAGE / 2, y(index - 1) + HEIGHT],
            [MARGIN + STAGE / 2, y(index) - 1],
          ]),
        ]),
  ])
  const firstError = lastFailing + 1
  const throwing = [
    [wall, y(lastFailing) + 15],
    [middle, y(lastFailing) + 15],
  ] as const
  const afterNote = MARGIN + STAGE + 28 + notes[completed[rejoins]!]!.length * 7
  const errors = errorSteps.flatMap((stage, index) => [
    stageBox(SIDE, y(firstError + index), SIDE_WIDTH, stage, 'wrong'),
    arrow(
      [...(index === 0 ? throwing : [[middle, y(firstError + index - 1) + HEIGHT] as const]), [middle, y(firstError + index) - 1]],
      'alarm',
    ),
  ])
  const afterErrors = y(firstError + errorSteps.length - 1) + HEIGHT
  return {
    title: 'The way of a request',
    description: `A request passes ${completed.join(', ')}. If a stage up to the ${completed[lastFailing]} throws, it goes on with ${errorSteps.join(', ')}, then ${completed.slice(rejoins).join(', ')}. If the client leaves before the end, ${instead.join(', ')} runs instead of ${completed[replaced]}.`,
    height: y(completed.length - 1) + HEIGHT + MARGIN,
    elements: [
      text(MARGIN, 62, 'soft', 'Green: hooks and the handler, which you write. Grey: the framework. Red: the way of an error.'),
      ...main,
      line(wall, y(0) + 15, wall, y(lastFailing) + 15, 'arrow-alarm'),
      ...completed.slice(0, lastFailing + 1).map((_stage, index) => line(wall - 8, y(index) + 15, wall, y(index) + 15, 'arrow-alarm')),
      text(middle, y(lastFailing) - 22, 'alarm', 'any of these throws', 'middle'),
      text(middle, y(lastFailing) - 4, 'soft', 'or its promise is rejected', 'middle'),
      ...errors,
      arrow(
        [
          [middle, afterErrors],
          [middle, y(rejoins) + 15],
          [afterNote, y(rejoins) + 15],
        ],
        'alarm',
      ),
      stageBox(SIDE, y(replaced), SIDE_WIDTH, instead.join(), 'lit'),
      text(SIDE - 14, y(replaced) + 19.5, 'soft', 'or, if the client left', 'end'),
    ],
  }
}
