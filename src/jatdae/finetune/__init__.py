"""Fine-tuning encoders on KLUE: text to features, a head for each task, training, predictions."""
