import { Injectable } from 'alcove'
import { Database } from '../database/database.js'
import { type NewOrder, NoSuchOrder, type Order, type OrderLine, OutOfStock } from './order.models.js'

const select = `
  select id, total::float8 as total, created_at as "createdAt", json_agg(json_build_object('productId', product_id, 'quantity', quantity, 'price', price)
    order by product_id) as lines
  from orders join order_lines on order_id = id`

@Injectable()
export class Orders {
  constructor(private readonly db: Database) {}

  /** Takes the products out of the stock and makes the order. Call this method within a transaction. */
  async create(buyerId: number, order: NewOrder): Promise<Order> {
    const lines: OrderLine[] = []
    // Products are locked by ascending id, so that two orders never wait for each other's rows.
    for (const [productId, quantity] of [...sumOf(order)].sort(([a], [b]) => a - b)) {
      const [product] = await this.db.query<{ price: number }>(
        'update products set stock = stock - $2 where id = $1 and stock >= $2 returning price',
        [productId, quantity],
      )
      if (product === undefined) throw new OutOfStock({ productId })
      lines.push({ productId, quantity, price: product.price })
    }
    const total = lines.reduce((sum, { price, quantity }) => sum + price * quantity, 0)
    const inserted = await this.db.query<{ id: number }>('insert into orders (buyer_id, total) values ($1, $2) returning id', [
      buyerId,
      total,
    ])
    const { id } = inserted[0]!
    await this.db.query(
      `insert into order_lines (order_id, product_id, quantity, price)
       select $1, * from unnest($2::integer[], $3::integer[], $4::integer[])`,
      [id, lines.map(({ productId }) => productId), lines.map(({ quantity }) => quantity), lines.map(({ price }) => price)],
    )
    return this.find(buyerId, id)
  }

  /** Returns the email address of the buyer of an order. */
  async emailOf(id: number): Promise<string> {
    const [buyer] = await this.db.query<{ email: string }>(
      'select email from users join orders on buyer_id = users.id where orders.id = $1',
      [id],
    )
    if (buyer === undefined) throw new NoSuchOrder()
    return buyer.email
  }

  async countOfLastDay(): Promise<number> {
    const [found] = await this.db.query<{ count: number }>(
      "select count(*)::integer as count from orders where created_at > now() - interval '1 day'",
    )
    return found!.count
  }

  list(buyerId: number): Promise<Order[]> {
    return this.db.query(`${select} where buyer_id = $1 group by id order by id desc limit 100`, [buyerId])
  }

  /** Returns an order of a buyer. A user who is not the buyer does not learn that the order exists. */
  async find(buyerId: number, id: number): Promise<Order> {
    const [order] = await this.db.query<Order>(`${select} where buyer_id = $1 and id = $2 group by id`, [buyerId, id])
    if (order === undefined) throw new NoSuchOrder()
    return order
  }
}

/** Returns the quantity of each product in an order, by the id of the product. */
function sumOf({ lines }: NewOrder): Map<number, number> {
  const sums = new Map<number, number>()
  for (const { productId, quantity } of lines) sums.set(productId, (sums.get(productId) ?? 0) + quantity)
  return sums
}
