-- Apart from the migration that added the column, which locks the table.
update signatures set state = 'invalid' where invalidated_by is not null and state <> 'invalid';
