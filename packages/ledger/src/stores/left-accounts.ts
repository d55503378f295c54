/** As `lost`: the accounts of a person that are below a team which the person is not in. */
export const LEFT = `WITH RECURSIVE above (id, holder_kind, holder_id, parent_id) AS (
    SELECT id, holder_kind, holder_id, parent_id FROM account WHERE holder_kind = 'principal' AND holder_id = ?
    UNION ALL
    SELECT above.id, account.holder_kind, account.holder_id, account.parent_id
      FROM account JOIN above ON account.id = above.parent_id
  ), lost AS (SELECT id FROM above WHERE holder_kind = 'team' AND holder_id NOT IN (
    SELECT team_id FROM membership WHERE principal_id = ? AND until_at IS NULL))`;
