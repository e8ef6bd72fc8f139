/** Compares the keywords of lists: proves that they allow all values of a shape (see shapes.ts). */
import { doubt, type Doubts, join, proven, type Prover, vague, within } from './doubts.js'
import type { Schema, SchemaObject } from './schemas.js'
import { itemSchemas, type ItemRules, type Shape } from './shapes.js'

/** The most leading items of a list that are compared one by one. Schemas with more `prefixItems` are not compared. */
const MAX_PREFIX = 200

export function checkList(wide: SchemaObject, shape: Shape, prover: Prover): Doubts {
  if (!shape.types.has('array')) return proven
  const { minItems = 0, maxItems = Infinity, uniqueItems, contains, items, prefixItems } = wide
  const most = mostItems(shape, prover)
  const least = Math.max(shape.minItems, ...shape.contains.map((each) => each.least))
  const doubts: Doubts[] = []
  if (least < minItems)
    doubts.push(
      doubt(prover, shape, `takes lists of at least ${minItems} items, and shorter ones may come`, {
        type: ['array'],
        maxItems: minItems - 1,
      }),
    )
  if (most > maxItems)
    doubts.push(
      doubt(prover, shape, `takes lists of at most ${maxItems} items, and longer ones may come`, {
        type: ['array'],
        minItems: maxItems + 1,
      }),
    )
  if (uniqueItems === true && !shape.unique && most > 1) doubts.push(checkUnique(shape, prover))
  if (items !== undefined || prefixItems !== undefined)
    doubts.push(checkItems({ prefix: prefixItems ?? [], rest: items ?? true }, shape, most, prover))
  if (contains !== undefined) doubts.push(checkContains(wide, shape, most, prover))
  if (wide['unevaluatedItems'] !== undefined) doubts.push(vague('has the keyword unevaluatedItems, which is not compared'))
  return join(doubts)
}

/** Returns the largest number of items that a list of the shape can have. */
function mostItems({ maxItems, items }: Shape, prover: Prover): number {
  const longest = Math.min(MAX_PREFIX, Math.max(0, ...items.map(({ prefix }) => prefix.length)))
  for (let index = 0; index <= longest && index < maxItems; index++) if (prover.isEmpty(itemSchemas(items, index))) return index
  return maxItems
}

function checkUnique(shape: Shape, prover: Prover): Doubts {
  const found = doubt(prover, shape, 'takes lists without equal items, and lists with equal items may come', { type: ['array'] })
  return found.map((each) => ({ ...each, hints: each.hints.map((hint) => ({ ...hint, isDoubled: true as const })) }))
}

function checkItems(wide: ItemRules, shape: Shape, most: number, prover: Prover): Doubts {
  const longest = Math.max(wide.prefix.length, ...shape.items.map(({ prefix }) => prefix.length))
  if (longest > MAX_PREFIX) return vague(`has more than ${MAX_PREFIX} schemas of items`)
  const doubts: Doubts[] = []
  for (let index = 0; index <= longest && index < most; index++) {
    const found = prover.subsumes(itemSchemas([wide], index), itemSchemas(shape.items, index))
    doubts.push(within(shape, index, found))
  }
  return join(doubts)
}

function checkContains(wide: SchemaObject, shape: Shape, most: number, prover: Prover): Doubts {
  const { contains, minContains = 1, maxContains = Infinity } = wide
  const fits = (schemas: readonly Schema[]): boolean => prover.subsumes([contains], schemas).length === 0
  const allFit =
    shape.items.length > 0 && [0, ...shape.items.map(({ prefix }) => prefix.length)].every((index) => fits(itemSchemas(shape.items, index)))
  const hasEnough =
    minContains === 0 ||
    (allFit && shape.items.every(({ prefix }) => prefix.length <= 1) && shape.minItems >= minContains) ||
    shape.contains.some(({ schema, least }) => least >= minContains && fits([schema]))
  const hasFewEnough =
    most <= maxContains ||
    shape.contains.some(({ schema, most: few }) => few <= maxContains && prover.subsumes([schema], [contains]).length === 0)
  if (hasEnough && hasFewEnough) return proven
  if (!hasEnough)
    return doubt(prover, shape, `takes lists with ${minContains} fitting items (contains), and others may come`, { type: ['array'] }, [[]])
  return doubt(prover, shape, `takes lists with at most ${maxContains} fitting items (contains), and others may come`, {
    type: ['array'],
    minItems: maxContains + 1,
  })
}
