"""What intruders measure: figures without a word of judgement; the attacks say what they mean."""
